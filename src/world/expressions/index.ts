/** The expressions of topologies and journeys: CEL with additional functions. */
export { type CompiledExpression, createExpressions, type Expressions } from './create-expressions.ts'
export { ExpressionError } from './expression-error.ts'
export { readToken, signToken } from './json-web-token.ts'
