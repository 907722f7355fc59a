/** Finds where statements read or assign the variable `loop`. */
import type { Expression, ForNode, Statement, Target } from '../syntax/node.ts'
import { syntaxError } from '../syntax/syntax-error.ts'
import { childrenOf } from './children-of.ts'

const mentionsLoop = (node: Expression): boolean =>
  node.type === 'name' ? node.name === 'loop' : childrenOf(node).some(mentionsLoop)

/** The direct child statements and expressions of a statement. */
const partsOf = (
  statement: Statement,
): [expressions: readonly Expression[], bodies: readonly Statement[]] => {
  switch (statement.type) {
    case 'output':
      return [statement.parts.filter((part) => typeof part !== 'string'), []]
    case 'if':
      return [
        statement.branches.map(([test]) => test),
        [...statement.branches.flatMap(([, body]) => body), ...statement.otherwise],
      ]
    case 'for':
      return [
        [statement.items, ...(statement.test === undefined ? [] : [statement.test])],
        [...statement.body, ...statement.otherwise],
      ]
    case 'set':
      return [[statement.value], []]
    case 'set-block':
      return [statement.filter === undefined ? [] : [statement.filter], statement.body]
    case 'with':
      return [statement.bindings.map(([, value]) => value), statement.body]
    case 'filter-block':
      return [[statement.filter], statement.body]
  }
}

export const usesLoop = (statements: readonly Statement[]): boolean =>
  statements.some((statement) => {
    const [expressions, bodies] = partsOf(statement)
    return expressions.some(mentionsLoop) || usesLoop(bodies)
  })

const assignsLoop = (target: Target): boolean =>
  target.type === 'tuple' ? target.items.some(assignsLoop) : target.type === 'name' && target.name === 'loop'

/** Throws a PythonError if a loop assigns the variable `loop`. */
export const checkLoopTargets = ({ target, body, otherwise }: ForNode): void => {
  const check = (statement: Statement): void => {
    if (
      (statement.type === 'set' || statement.type === 'set-block' || statement.type === 'for') &&
      assignsLoop(statement.target)
    )
      throw syntaxError("Can't assign to special loop variable in for-loop target")
    for (const inner of partsOf(statement)[1]) check(inner)
  }
  if (assignsLoop(target)) throw syntaxError("Can't assign to special loop variable in for-loop target")
  for (const statement of [...body, ...otherwise]) check(statement)
}
