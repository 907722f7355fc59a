/** Expressions of topologies and journeys: the language CEL, with functions of ours. */
export { type CompiledExpression, createExpressions, type Expressions } from './create-expressions.ts'
export { ExpressionError } from './expression-error.ts'
export { readToken, signToken } from './token.ts'
