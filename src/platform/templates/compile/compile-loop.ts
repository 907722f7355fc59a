/** Compiles the statement `for`. */
import { iterate } from '../python/iterate.ts'
import { isTruthy } from '../python/truth.ts'
import type { Expression, ForNode, Statement } from '../syntax/node.ts'
import { spend } from '../work.ts'
import { analyseExpression, analyseStatements, analyseTarget } from './analyse-statements.ts'
import { compileAssignment } from './compile-assignment.ts'
import { enterScope } from './enter-scope.ts'
import type { Evaluate, Execute, Frame } from './frame.ts'
import { LoopContext } from './loop-context.ts'
import { checkLoopTargets, usesLoop } from './loop-variable.ts'
import type { Scope } from './scope.ts'

/** The compilers of the expressions and statements inside a loop. */
interface LoopCompilers {
  readonly expression: (node: Expression, scope: Scope) => Evaluate
  readonly statements: (statements: readonly Statement[], scope: Scope) => Execute
}

/** The condition of `for ... if ...`, in a scope of its own. */
const compileLoopTest = (
  { target, test }: ForNode,
  scope: Scope,
  { expression }: LoopCompilers,
): ((frame: Frame, items: readonly unknown[]) => unknown[]) => {
  const inner = scope.inner()
  analyseTarget(inner, target, true)
  analyseExpression(inner, test!)
  const [enter, assign] = [enterScope(inner), compileAssignment(target, inner)]
  const condition = expression(test!, inner)
  return (frame, items) => {
    enter(frame)
    return items.filter((item) => {
      assign(frame, item)
      return isTruthy(condition(frame))
    })
  }
}

/** Statements in a scope of their own. */
const compileInner = (body: readonly Statement[], scope: Scope, { statements }: LoopCompilers): Execute => {
  const inner = scope.inner()
  analyseStatements(inner, body)
  const [enter, run] = [enterScope(inner), statements(body, inner)]
  return (frame) => {
    enter(frame)
    run(frame)
  }
}

export const compileLoop = (node: ForNode, scope: Scope, compilers: LoopCompilers): Execute => {
  const { expression, statements } = compilers
  checkLoopTargets(node)
  const inner = scope.inner()
  const loopSlot = usesLoop(node.body) ? inner.parameter('loop') : undefined
  analyseTarget(inner, node.target, true)
  analyseStatements(inner, node.body)
  const select = node.test === undefined ? undefined : compileLoopTest(node, scope, compilers)
  const items = expression(node.items, scope)
  const [enter, assign] = [enterScope(inner), compileAssignment(node.target, inner)]
  const body = statements(node.body, inner)
  const otherwise = compileInner(node.otherwise, scope, compilers)
  return (frame) => {
    const all = iterate(items(frame))
    const selected = select === undefined ? all : select(frame, all)
    const loop = new LoopContext(selected)
    for (const item of selected) {
      spend(1)
      loop.index0 += 1
      assign(frame, item)
      if (loopSlot !== undefined) frame.slots[loopSlot] = loop
      enter(frame)
      body(frame)
    }
    if (selected.length === 0) otherwise(frame)
  }
}
