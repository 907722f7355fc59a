/** Members ordered by score, and by name if the scores are equal. */

export interface Member {
  readonly name: string
  readonly score: number
}

const compare = (a: Member, b: Member): number =>
  a.score - b.score || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

export class SortedSet {
  readonly #scores = new Map<string, number>()
  readonly #order: Member[] = []

  get size(): number {
    return this.#scores.size
  }

  get members(): readonly Member[] {
    return this.#order
  }

  score(name: string): number | undefined {
    return this.#scores.get(name)
  }

  rank(name: string): number | undefined {
    const score = this.#scores.get(name)
    return score === undefined ? undefined : this.#positionOf({ name, score })
  }

  /** Returns true if the member is new. */
  add(name: string, score: number): boolean {
    const before = this.#scores.get(name)
    if (before === score) return false
    if (before !== undefined) this.#order.splice(this.#positionOf({ name, score: before }), 1)
    this.#scores.set(name, score)
    this.#order.splice(this.#positionOf({ name, score }), 0, { name, score })
    return before === undefined
  }

  remove(name: string): boolean {
    const score = this.#scores.get(name)
    if (score === undefined) return false
    this.#order.splice(this.#positionOf({ name, score }), 1)
    this.#scores.delete(name)
    return true
  }

  #positionOf(member: Member): number {
    let low = 0
    let high = this.#order.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (compare(this.#order[middle]!, member) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
