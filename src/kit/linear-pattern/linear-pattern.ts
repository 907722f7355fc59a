/** Matches a regular expression without ever going back in the text, as Go does: no pattern can hang the process. */
import { isWord } from './character-class.ts'
import { compilePattern, type Instruction } from './compile-pattern.ts'
import { type Assertion, parsePattern } from './parse-pattern.ts'

export interface LinearPattern {
  /** Throws RangeError where pattern and text are so large that even this would take too long. */
  test(text: string): boolean
  /** The first match at or after `from`: where it begins and ends. */
  find(text: string, from?: number): readonly [start: number, end: number] | undefined
}

/** A fraction of a second. */
const MOST_STEPS = 20_000_000
const NOTHING = -1

const isWordAt = (code: number): boolean => code !== NOTHING && isWord(code)

const holds = (assertion: Assertion, before: number, after: number): boolean => {
  switch (assertion) {
    case 'start':
      return before === NOTHING
    case 'end':
      return after === NOTHING
    case 'line-start':
      return before === NOTHING || before === 10
    case 'line-end':
      return after === NOTHING || after === 10
    case 'word':
      return isWordAt(before) !== isWordAt(after)
    case 'no-word':
      return isWordAt(before) === isWordAt(after)
  }
}

/** The states that the machine is in at one place of the text, the preferred first, each with its beginning. */
class States {
  readonly places: number[] = []
  readonly starts: number[] = []
  readonly #seen: Uint32Array
  #turn = 0

  constructor(size: number) {
    this.#seen = new Uint32Array(size)
  }

  clear(): void {
    this.places.length = 0
    this.starts.length = 0
    this.#turn += 1
  }

  /** Notes the place; tells whether it is new here. */
  enter(place: number): boolean {
    if (this.#seen[place] === this.#turn) return false
    this.#seen[place] = this.#turn
    return true
  }
}

class Machine {
  readonly #program: readonly Instruction[]
  #now: States
  #next: States
  #steps = 0

  constructor(program: readonly Instruction[]) {
    this.#program = program
    this.#now = new States(program.length)
    this.#next = new States(program.length)
  }

  /** Follows everything that needs no character. */
  #add(states: States, place: number, start: number, before: number, after: number): void {
    const open = [place]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (!states.enter(at)) continue
      this.#steps += 1
      const instruction = this.#program[at]!
      if (instruction.type === 'jump') open.push(instruction.to)
      else if (instruction.type === 'fork') open.push(instruction.second, instruction.first)
      else if (instruction.type === 'assertion') {
        if (holds(instruction.assertion, before, after)) open.push(at + 1)
      } else {
        states.places.push(at)
        states.starts.push(start)
      }
    }
  }

  run(text: string, from: number, anyMatch: boolean): readonly [number, number] | undefined {
    let found: readonly [number, number] | undefined
    let before = from === 0 ? NOTHING : text.codePointAt(from - 1)!
    this.#steps = 0
    this.#now.clear()
    for (let at = from; at <= text.length; ) {
      const code = text.codePointAt(at) ?? NOTHING
      const width = code > 0xffff ? 2 : 1
      if (found === undefined) this.#add(this.#now, 0, at, before, code)
      if (this.#now.places.length === 0 && found !== undefined) return found
      const after = text.codePointAt(at + width) ?? NOTHING
      this.#next.clear()
      const { places, starts } = this.#now
      for (let index = 0; index < places.length; index += 1) {
        this.#steps += 1
        const instruction = this.#program[places[index]!]!
        if (instruction.type === 'match') {
          found = [starts[index]!, at]
          // What is less preferred is given up.
          break
        }
        if (instruction.type === 'character' && code !== NOTHING && instruction.test(code))
          this.#add(this.#next, places[index]! + 1, starts[index]!, code, after)
      }
      if (found !== undefined && anyMatch) return found
      if (this.#steps > MOST_STEPS) throw new RangeError('the text is too long for its pattern')
      const spent = this.#now
      this.#now = this.#next
      this.#next = spent
      before = code
      at += width
    }
    return found
  }
}

/** Throws PatternError for what Go would refuse. */
export const linearPattern = (pattern: string): LinearPattern => {
  const machine = new Machine(compilePattern(parsePattern(pattern), pattern))
  return {
    test: (text) => machine.run(text, 0, true) !== undefined,
    find: (text, from = 0) => machine.run(text, from, false),
  }
}
