/** What compiling steps needs, and how expressions of steps are made and evaluated. */
import type { LogFormat } from '../../spec/index.ts'
import type { Execution } from './execution.ts'
import type { MemoryStore } from './memory-store.ts'
import type { Surroundings } from './surroundings.ts'

export interface Compiling {
  readonly surroundings: Surroundings
  readonly memory: MemoryStore
  readonly format: LogFormat
}

/** What expressions see is all that they need of a run. */
type Seen = Pick<Execution, 'scope'>

export type Value = (seen: Seen) => unknown

export const compileValue = (source: string, where: string, { surroundings }: Compiling): Value => {
  const evaluate = surroundings.expressions.compileExpression(source, where)
  return ({ scope }) => evaluate(scope)
}

/** Of what may be left out. */
export const compileOptional = (
  source: string | undefined,
  where: string,
  compiling: Compiling,
): Value | undefined => (source === undefined ? undefined : compileValue(source, where, compiling))

export const compileList = (
  sources: readonly string[],
  where: string,
  compiling: Compiling,
): ((execution: Execution) => unknown[]) => {
  const values = sources.map((source, place) => compileValue(source, `${where}[${place}]`, compiling))
  return (execution) => values.map((value) => value(execution))
}

export const compileMap = (
  sources: Readonly<Record<string, string>>,
  where: string,
  compiling: Compiling,
): ((seen: Seen) => Record<string, unknown>) => {
  const values = Object.entries(sources).map(
    ([name, source]) => [name, compileValue(source, `${where}.${name}`, compiling)] as const,
  )
  return (seen) => Object.fromEntries(values.map(([name, value]) => [name, value(seen)]))
}
