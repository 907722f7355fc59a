/** The expressions of topologies and journeys: CEL with additional functions. */
export { createExpressionCompiler, type ExpressionCompiler } from './create-expression-compiler.ts'
export { type CompiledExpression, createExpressions } from './create-expressions.ts'
export { ExpressionError } from './expression-error.ts'
export type { ExpressionSources } from './functions/define-function.ts'
export { readToken, signToken } from './json-web-token.ts'
export { slowHash } from './slow-hash.ts'
