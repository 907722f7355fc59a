/** Compiles the expressions of steps. */
import type { LogFormat } from '#spec'
import type { Execution } from './execution.ts'
import type { MemoryStore } from './memory-store.ts'
import type { ServiceHost } from './service-host.ts'

export interface CompileContext {
  readonly host: ServiceHost
  readonly memory: MemoryStore
  readonly format: LogFormat
}

type Scoped = Pick<Execution, 'scope'>

export type Evaluate = (execution: Scoped) => unknown

export const compileValue = (source: string, location: string, { host }: CompileContext): Evaluate => {
  const evaluate = host.expressions.compileExpression(source, location)
  return ({ scope }) => evaluate(scope)
}

/** Returns undefined for an omitted expression. */
export const compileOptional = (
  source: string | undefined,
  location: string,
  context: CompileContext,
): Evaluate | undefined => (source === undefined ? undefined : compileValue(source, location, context))

export const compileList = (
  sources: readonly string[],
  location: string,
  context: CompileContext,
): ((execution: Execution) => unknown[]) => {
  const values = sources.map((source, index) => compileValue(source, `${location}[${index}]`, context))
  return (execution) => values.map((value) => value(execution))
}

export const compileMap = (
  sources: Readonly<Record<string, string>>,
  location: string,
  context: CompileContext,
): ((execution: Scoped) => Record<string, unknown>) => {
  const values = Object.entries(sources).map(
    ([name, source]) => [name, compileValue(source, `${location}.${name}`, context)] as const,
  )
  return (execution) => Object.fromEntries(values.map(([name, value]) => [name, value(execution)]))
}
