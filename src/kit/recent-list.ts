/** A list that remembers only the latest of what is added to it, by number and by memory. */

/** Whichever is reached first. A list may hold a tenth more for a while: it is shortened in bulk. */
export interface RecentLimits {
  count: number
  /** Roughly: see `RecentList`. */
  bytes: number
}

const SLACK = 1.1
const PER_VALUE = 16

/**
 * How much memory a value takes, roughly: what several share is counted for each, and names of fields are not,
 * because values of one shape share them.
 */
const roughSize = (value: unknown): number => {
  if (typeof value === 'string') return PER_VALUE + value.length
  if (typeof value !== 'object' || value === null) return PER_VALUE
  let size = PER_VALUE
  if (Array.isArray(value)) for (const item of value) size += roughSize(item)
  else for (const key in value) size += roughSize((value as Record<string, unknown>)[key])
  return size
}

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

  /** `counted` is the part of it that nobody else holds. Returns the latest of those that were dropped for it. */
  add(value: T, counted: unknown = value): T | undefined {
    const size = roughSize(counted)
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
