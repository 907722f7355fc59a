/** Expressions of topologies and journeys: the language CEL, with functions of ours. */
export type { Scope } from './compile-node.ts'
export { type CompiledExpression, createExpressions, type Expressions } from './create-expressions.ts'
export { ExpressionError } from './expression-error.ts'
export type { ExpressionSources } from './functions/source-functions.ts'
export { readToken, signToken } from './token.ts'
