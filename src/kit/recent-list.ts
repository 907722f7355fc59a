/** A list that keeps only the latest values, limited by number and by memory. */
import { estimateSize } from './estimate-size.ts'

/** The limit that is reached first applies. It can be exceeded by a tenth: values are dropped in bulk. */
export interface RecentLimits {
  count: number
  /** Estimated by `estimateSize`, unless a size is passed to `add`. */
  bytes: number
}

const SLACK = 1.1

export class RecentList<T> {
  readonly #values: T[] = []
  readonly #sizes: number[] = []
  #bytes = 0
  readonly #limits: RecentLimits

  constructor(limits: RecentLimits) {
    this.#limits = limits
  }

  /** Oldest first. */
  get values(): readonly T[] {
    return this.#values
  }

  /** Returns the latest dropped value. `size`, in bytes, should exclude memory shared with other objects. */
  add(value: T, size = estimateSize(value)): T | undefined {
    this.#values.push(value)
    this.#sizes.push(size)
    this.#bytes += size
    const { count, bytes } = this.#limits
    return this.#values.length > count * SLACK || this.#bytes > bytes * SLACK ? this.#shorten() : undefined
  }

  clear(): void {
    this.#values.length = 0
    this.#sizes.length = 0
    this.#bytes = 0
  }

  /** Keeps the latest value, however large it is. */
  #shorten(): T | undefined {
    const { count, bytes } = this.#limits
    let drop = 0
    while (drop < this.#values.length - 1) {
      if (this.#values.length - drop <= count && this.#bytes <= bytes) break
      this.#bytes -= this.#sizes[drop]!
      drop += 1
    }
    this.#sizes.splice(0, drop)
    return this.#values.splice(0, drop).at(-1)
  }
}
