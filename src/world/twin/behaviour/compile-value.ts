/** Compiles the expressions of steps. */
import type { LogFormat, ServiceSlice } from '#spec'
import type { ExpressionCompiler } from '#world/expressions'
import type { Execution } from './execution.ts'

/** The input of compilation. It does not depend on the process that runs the service. */
export interface CompileContext {
  readonly slice: ServiceSlice
  readonly format: LogFormat
  readonly expressions: ExpressionCompiler
}

export type Scoped = Pick<Execution, 'scope' | 'host'>

export type Evaluate = (execution: Scoped) => unknown

export const compileValue = (source: string, location: string, { expressions }: CompileContext): Evaluate => {
  const evaluate = expressions.compileExpression(source, location)
  return ({ scope, host }) => evaluate(scope, host.sources)
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
