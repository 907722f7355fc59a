/** A list that keeps only the latest values, limited by number and by memory. */
import { estimateSize } from './estimate-size.ts'

/** Whichever limit is reached first applies. A list may exceed it by a tenth, because it is shortened in bulk. */
export interface RecentLimits {
  count: number
  /** Estimated by `estimateSize`. */
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

  /** `size` counts only memory that is not shared with other holders. Returns the latest value that was dropped. */
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
