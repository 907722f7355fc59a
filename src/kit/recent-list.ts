/** A list that remembers only the latest of what is added to it, by number and by memory. */
import { roughSize } from './rough-size.ts'

/** Whichever is reached first. A list may hold a tenth more for a while: it is shortened in bulk. */
export interface RecentLimits {
  count: number
  /** Roughly: see `roughSize`. */
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

  /** `size` is that of the part that nobody else holds. Returns the latest of those that were dropped for it. */
  add(value: T, size = roughSize(value)): T | undefined {
    this.#values.push(value)
    this.#sizes.push(size)
    this.#bytes += size
    const { count, bytes } = this.#limits
    return this.#values.length > count * SLACK || this.#bytes > bytes * SLACK ? this.#shorten() : undefined
  }

  /** The latest value stays, however large. */
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
