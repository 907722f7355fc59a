/** Turns a pattern into the instructions of a machine that is in many states at once. */
import type { CharacterTest } from './character-class.ts'
import type { Assertion, PatternNode } from './parse-pattern.ts'
import { PatternError } from './pattern-source.ts'

export type Instruction =
  | { type: 'character'; test: CharacterTest }
  | { type: 'assertion'; assertion: Assertion }
  /** Goes on at both places, the first of them preferred. */
  | { type: 'fork'; first: number; second: number }
  | { type: 'jump'; to: number }
  | { type: 'match' }

const MOST_INSTRUCTIONS = 20_000

export const compilePattern = (node: PatternNode, pattern: string): readonly Instruction[] => {
  const program: Instruction[] = []

  const emit = <T extends Instruction>(instruction: T): T => {
    if (program.length >= MOST_INSTRUCTIONS) throw new PatternError('expression too large', pattern)
    program.push(instruction)
    return instruction
  }

  /** Takes the part or leaves it, then goes on at the end of `body`. */
  const optionally = (greedy: boolean, body: () => void): void => {
    const fork = emit({ type: 'fork', first: 0, second: 0 })
    const inside = program.length
    body()
    fork.first = greedy ? inside : program.length
    fork.second = greedy ? program.length : inside
  }

  const repeat = ({ part, least, most, greedy }: Extract<PatternNode, { type: 'repeat' }>): void => {
    for (let time = 0; time < least; time += 1) compile(part)
    if (most === Number.POSITIVE_INFINITY) {
      const start = program.length
      optionally(greedy, () => {
        compile(part)
        emit({ type: 'jump', to: start })
      })
      return
    }
    const rest = (left: number): void => {
      if (left > 0)
        optionally(greedy, () => {
          compile(part)
          rest(left - 1)
        })
    }
    rest(most - least)
  }

  const choose = (parts: readonly PatternNode[]): void => {
    const ends = parts.slice(0, -1).map((part) => {
      const fork = emit({ type: 'fork', first: program.length + 1, second: 0 })
      compile(part)
      const end = emit({ type: 'jump', to: 0 })
      fork.second = program.length
      return end
    })
    compile(parts.at(-1)!)
    for (const end of ends) end.to = program.length
  }

  const compile = (one: PatternNode): void => {
    switch (one.type) {
      case 'sequence':
        for (const part of one.parts) compile(part)
        return
      case 'choice':
        choose(one.parts)
        return
      case 'repeat':
        repeat(one)
        return
      default:
        emit(one)
    }
  }

  compile(node)
  emit({ type: 'match' })
  return program
}
