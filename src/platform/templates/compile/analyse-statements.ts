/** Finds the names that statements read and assign, and gives them slots. */
import type { Expression, Statement, Target } from '../syntax/node.ts'
import { childrenOf } from './children-of.ts'
import type { Scope } from './scope.ts'

export const analyseExpression = (scope: Scope, node: Expression): void => {
  if (node.type === 'name') scope.read(node.name)
  else for (const child of childrenOf(node)) analyseExpression(scope, child)
}

export const analyseTarget = (scope: Scope, target: Target, isParameter = false): void => {
  if (target.type === 'tuple') for (const item of target.items) analyseTarget(scope, item, isParameter)
  else if (target.type === 'member') scope.read(target.name)
  else if (isParameter) scope.parameter(target.name)
  else scope.assign(target.name)
}

type Branch = Extract<Statement, { type: 'if' }>['branches'][number]

const analyseIf = (
  scope: Scope,
  [first, ...rest]: readonly Branch[],
  otherwise: readonly Statement[],
): void => {
  const [test, body] = first!
  analyseExpression(scope, test)
  scope.branch([
    (branch) => analyseStatements(branch, body),
    (branch) => {
      for (const alternative of rest) analyseIf(branch, [alternative], [])
    },
    (branch) => analyseStatements(branch, otherwise),
  ])
}

/** Inner scopes are analysed when they are compiled. */
const analyseStatement = (scope: Scope, statement: Statement): void => {
  switch (statement.type) {
    case 'output':
      for (const part of statement.parts) if (typeof part !== 'string') analyseExpression(scope, part)
      break
    case 'if':
      analyseIf(scope, statement.branches, statement.otherwise)
      break
    case 'for':
      analyseExpression(scope, statement.items)
      break
    case 'set':
      analyseExpression(scope, statement.value)
      analyseTarget(scope, statement.target)
      break
    case 'set-block':
      analyseTarget(scope, statement.target)
      break
    case 'with':
      for (const [, value] of statement.bindings) analyseExpression(scope, value)
      break
    case 'filter-block':
      analyseExpression(scope, statement.filter)
  }
}

export const analyseStatements = (scope: Scope, statements: readonly Statement[]): void => {
  for (const statement of statements) analyseStatement(scope, statement)
}
