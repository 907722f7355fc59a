/** Compiles CEL expressions and templates with the given sources of time and randomness. */
import type { Scope } from './compile-node.ts'
import { createExpressionCompiler, type SharedExpression } from './create-expression-compiler.ts'
import type { ExpressionSources } from './functions/define-function.ts'

/** Returns plain JSON data. Throws an ExpressionError with the location, the expression and the reason. */
export interface CompiledExpression<T = unknown> {
  (scope: Scope): T
  /** The names that the scope must provide. */
  readonly names: ReadonlySet<string>
}

export interface Expressions {
  /** `location` identifies the expression in errors: `cartservice.endpoints.GetCart.reply`. */
  compileExpression(source: string, location: string): CompiledExpression
  /** Compiles text with `${...}`. */
  compileTemplate(source: string, location: string): CompiledExpression<string>
}

const bind = <T>(expression: SharedExpression<T>, sources: ExpressionSources): CompiledExpression<T> =>
  Object.assign((scope: Scope) => expression(scope, sources), { names: expression.names })

export const createExpressions = (sources: ExpressionSources): Expressions => {
  const { compileExpression, compileTemplate } = createExpressionCompiler()
  return {
    compileExpression: (source, location) => bind(compileExpression(source, location), sources),
    compileTemplate: (source, location) => bind(compileTemplate(source, location), sources),
  }
}
