/**
 * Maps the names in a template to the slots of their values. Jinja decides before a template runs, for each scope, whether a name is a
 * variable of the play, a name of an outer scope, or one that is assigned later. Variables of the play are looked up when their scope
 * begins, including those in branches that are not taken.
 */

/** The source of a slot's value when the scope begins. */
export type Load =
  | { readonly type: 'parameter' }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'outer'; readonly slot: number }
  | { readonly type: 'nothing' }

/** Numbers the slots of a template. */
export interface SlotCounter {
  count: number
}

export class Scope {
  readonly #parent: Scope | undefined
  readonly #counter: SlotCounter
  /** Shared with the copies for branches. */
  readonly #slots: Map<string, number>
  readonly #slotOf = new Map<string, number>()
  readonly #stored = new Set<string>()
  readonly loads = new Map<number, Load>()

  constructor(counter: SlotCounter, parent?: Scope, slots = new Map<string, number>()) {
    this.#counter = counter
    this.#parent = parent
    this.#slots = slots
  }

  inner(): Scope {
    return new Scope(this.#counter, this)
  }

  /** The slot of a name in this scope or an outer one. */
  slotOf(name: string): number | undefined {
    return this.#slotOf.get(name) ?? this.#parent?.slotOf(name)
  }

  /** Whether a slot always has a value. */
  isParameter(slot: number): boolean {
    const load = this.loads.get(slot)
    return load === undefined ? (this.#parent?.isParameter(slot) ?? false) : load.type === 'parameter'
  }

  #define(name: string, load: Load): number {
    const slot = this.#slots.get(name) ?? this.#counter.count++
    this.#slots.set(name, slot)
    this.#slotOf.set(name, slot)
    this.loads.set(slot, load)
    return slot
  }

  parameter(name: string): number {
    this.#stored.add(name)
    return this.#define(name, { type: 'parameter' })
  }

  read(name: string): void {
    if (this.slotOf(name) === undefined) this.#define(name, { type: 'variable', name })
  }

  assign(name: string): void {
    this.#stored.add(name)
    if (this.#slotOf.has(name)) return
    const outer = this.#parent?.slotOf(name)
    this.#define(name, outer === undefined ? { type: 'nothing' } : { type: 'outer', slot: outer })
  }

  #copy(): Scope {
    const copy = new Scope(this.#counter, this.#parent, this.#slots)
    for (const [name, slot] of this.#slotOf) copy.#slotOf.set(name, slot)
    for (const [slot, load] of this.loads) copy.loads.set(slot, load)
    for (const name of this.#stored) copy.#stored.add(name)
    return copy
  }

  /** Analyses branches of which at most one runs. A name that only some of them assign may also be a variable of the play. */
  branch(analyses: readonly ((scope: Scope) => void)[]): void {
    const copies = analyses.map((analyse) => {
      const copy = this.#copy()
      analyse(copy)
      return copy
    })
    const counts = new Map<string, number>()
    for (const copy of copies)
      for (const name of copy.#stored)
        if (!this.#stored.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const copy of copies) {
      for (const [name, slot] of copy.#slotOf) this.#slotOf.set(name, slot)
      for (const [slot, load] of copy.loads) this.loads.set(slot, load)
      for (const name of copy.#stored) this.#stored.add(name)
    }
    for (const [name, count] of counts) {
      if (count === copies.length) continue
      const outer = this.#parent?.slotOf(name)
      const load: Load = outer === undefined ? { type: 'variable', name } : { type: 'outer', slot: outer }
      this.loads.set(this.slotOf(name)!, load)
    }
  }
}
