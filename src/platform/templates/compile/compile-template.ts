/** Compiles the statements of a template. */
import { iterate } from '../python/iterate.ts'
import { PythonError, valueError } from '../python/python-error.ts'
import { isTruthy } from '../python/truth.ts'
import { Namespace } from '../python/value.ts'
import type {
  Expression,
  FilterBlockNode,
  ForNode,
  SetBlockNode,
  Statement,
  Target,
  WithNode,
} from '../syntax/node.ts'
import { syntaxError } from '../syntax/tokenise.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spend } from '../work.ts'
import { ExpressionCompiler } from './compile-expression.ts'
import { concatenate } from './concatenate.ts'
import { finalise } from './finalise.ts'
import { type Context, type Evaluate, type Execute, type Frame, MISSING } from './frame.ts'
import { LoopContext } from './loop-context.ts'
import type { Plugins } from './plugins.ts'
import {
  analyseExpression,
  analyseStatements,
  analyseTarget,
  childrenOf,
  Scope,
  type SlotCounter,
} from './scope.ts'

/** Python allows 20 nested blocks in a function, and Ansible returns the text of a template with more. */
const MAX_LOOPS = 10

type Assign = (frame: Frame, value: unknown) => void

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

const usesLoop = (statements: readonly Statement[]): boolean =>
  statements.some((statement) => {
    const [expressions, bodies] = partsOf(statement)
    return expressions.some(mentionsLoop) || usesLoop(bodies)
  })

const assignsLoop = (target: Target): boolean =>
  target.type === 'tuple' ? target.items.some(assignsLoop) : target.type === 'name' && target.name === 'loop'

class TemplateCompiler {
  readonly #expressions: ExpressionCompiler
  #loops = 0

  constructor(plugins: Plugins) {
    this.#expressions = new ExpressionCompiler(plugins)
  }

  statements(statements: readonly Statement[], scope: Scope): Execute {
    const compiled = statements.map((statement) => this.#statement(statement, scope))
    if (compiled.length === 1) return compiled[0]!
    return (frame) => {
      for (const execute of compiled) execute(frame)
    }
  }

  /** Sets the initial values of the slots of a scope. */
  enter(scope: Scope): Execute {
    const loads = [...scope.loads].filter(([, load]) => load.type !== 'parameter')
    return ({ slots, context }) => {
      for (const [slot, load] of loads) {
        if (load.type === 'variable') slots[slot] = context.resolve(load.name)
        else slots[slot] = load.type === 'outer' ? slots[load.slot] : MISSING
      }
    }
  }

  #statement(statement: Statement, scope: Scope): Execute {
    switch (statement.type) {
      case 'output':
        return this.#output(statement.parts, scope)
      case 'if':
        return this.#if(statement, scope)
      case 'for':
        return this.#for(statement, scope)
      case 'set': {
        const [assign, value] = [
          this.#assign(statement.target, scope),
          this.#expressions.compile(statement.value, scope),
        ]
        return (frame) => assign(frame, value(frame))
      }
      case 'set-block':
        return this.#setBlock(statement, scope)
      case 'with':
        return this.#with(statement, scope)
      case 'filter-block':
        return this.#filterBlock(statement, scope)
    }
  }

  #output(parts: readonly (string | Expression)[], scope: Scope): Execute {
    const compiled = parts.map((part) =>
      typeof part === 'string' ? part : this.#expressions.compile(part, scope),
    )
    return (frame) => {
      for (const part of compiled) {
        spend(1)
        frame.out.push(typeof part === 'string' ? part : finalise(part(frame)))
      }
    }
  }

  #if({ branches, otherwise }: Extract<Statement, { type: 'if' }>, scope: Scope): Execute {
    const compiled = branches.map(
      ([test, body]) => [this.#expressions.compile(test, scope), this.statements(body, scope)] as const,
    )
    const last = this.statements(otherwise, scope)
    return (frame) => {
      for (const [test, body] of compiled) if (isTruthy(test(frame))) return body(frame)
      last(frame)
    }
  }

  #assign(target: Target, scope: Scope): Assign {
    const slot = target.type === 'tuple' ? undefined : scope.slotOf(target.name)
    if (target.type === 'name')
      return ({ slots }, value) => {
        slots[slot!] = value
      }
    if (target.type === 'member')
      return ({ slots }, value) => {
        const owner = slots[slot!]
        if (!(owner instanceof Namespace))
          throw new PythonError('TemplateRuntimeError', 'cannot assign attribute on non-namespace object')
        owner.members.set(target.member, value)
      }
    const items = target.items.map((item) => this.#assign(item, scope))
    return (frame, value) => {
      const values = iterate(value)
      if (values.length < items.length)
        throw valueError(`not enough values to unpack (expected ${items.length}, got ${values.length})`)
      if (values.length > items.length)
        throw valueError(`too many values to unpack (expected ${items.length})`)
      for (const [index, assign] of items.entries()) assign(frame, values[index])
    }
  }

  /** The condition of `for ... if ...`, in a scope of its own. */
  #loopTest({ target, test }: ForNode, scope: Scope): (frame: Frame, items: readonly unknown[]) => unknown[] {
    const inner = scope.inner()
    analyseTarget(inner, target, true)
    analyseExpression(inner, test!)
    const [enter, assign] = [this.enter(inner), this.#assign(target, inner)]
    const condition = this.#expressions.compile(test!, inner)
    return (frame, items) => {
      enter(frame)
      return items.filter((item) => {
        assign(frame, item)
        return isTruthy(condition(frame))
      })
    }
  }

  #for(node: ForNode, scope: Scope): Execute {
    this.#loops += 1
    if (this.#loops > MAX_LOOPS) throw new UnsupportedTemplate(`more than ${MAX_LOOPS} nested loops`)
    this.#checkTargets(node)
    const inner = scope.inner()
    const loopSlot = usesLoop(node.body) ? inner.parameter('loop') : undefined
    analyseTarget(inner, node.target, true)
    analyseStatements(inner, node.body)
    const select = node.test === undefined ? undefined : this.#loopTest(node, scope)
    const items = this.#expressions.compile(node.items, scope)
    const [enter, assign] = [this.enter(inner), this.#assign(node.target, inner)]
    const body = this.statements(node.body, inner)
    const otherwise = this.#inner(node.otherwise, scope)
    this.#loops -= 1
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

  #checkTargets({ target, body, otherwise }: ForNode): void {
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

  /** Statements in a scope of their own. */
  #inner(statements: readonly Statement[], scope: Scope): Execute {
    const inner = scope.inner()
    analyseStatements(inner, statements)
    const [enter, body] = [this.enter(inner), this.statements(statements, inner)]
    return (frame) => {
      enter(frame)
      body(frame)
    }
  }

  /** The text of a block, converted in the same way as the result of a template. */
  #captured(execute: Execute): Evaluate {
    return (frame) => {
      const outer = frame.out
      frame.out = []
      execute(frame)
      const value = concatenate(frame.out)
      frame.out = outer
      return value
    }
  }

  #setBlock({ target, filter, body }: SetBlockNode, scope: Scope): Execute {
    const inner = scope.inner()
    analyseStatements(inner, body)
    const [enter, run] = [this.enter(inner), this.statements(body, inner)]
    const captured = this.#captured((frame) => {
      enter(frame)
      run(frame)
    })
    for (let node = filter; node !== undefined; node = node.input?.type === 'filter' ? node.input : undefined)
      if (childrenOf({ ...node, input: undefined }).length > 0)
        throw new UnsupportedTemplate('arguments of a filter in a set block')
    const value = filter === undefined ? captured : this.#expressions.filter(filter, inner, captured)
    const assign = this.#assign(target, scope)
    return (frame) => assign(frame, value(frame))
  }

  #with({ bindings, body }: WithNode, scope: Scope): Execute {
    const inner = scope.inner()
    for (const [target] of bindings) analyseTarget(inner, target, true)
    analyseStatements(inner, body)
    const enter = this.enter(inner)
    const compiled = bindings.map(
      ([target, value]) => [this.#assign(target, inner), this.#expressions.compile(value, scope)] as const,
    )
    const run = this.statements(body, inner)
    return (frame) => {
      enter(frame)
      for (const [assign, value] of compiled) assign(frame, value(frame))
      run(frame)
    }
  }

  #filterBlock({ filter, body }: FilterBlockNode, scope: Scope): Execute {
    const inner = scope.inner()
    analyseStatements(inner, body)
    analyseExpression(inner, filter)
    const [enter, run] = [this.enter(inner), this.statements(body, inner)]
    const captured = this.#captured(run)
    const value = this.#expressions.filter(filter, inner, captured)
    return (frame) => {
      enter(frame)
      frame.out.push(value(frame))
    }
  }
}

/** Runs a template and returns its outputs. */
export type CompiledTemplate = (context: Context) => unknown[]

/** Throws a PythonError (TemplateSyntaxError) for unknown filters and tests. */
export const compileTemplate = (statements: readonly Statement[], plugins: Plugins): CompiledTemplate => {
  const counter: SlotCounter = { count: 0 }
  const scope = new Scope(counter)
  analyseStatements(scope, statements)
  const compiler = new TemplateCompiler(plugins)
  const [enter, run] = [compiler.enter(scope), compiler.statements(statements, scope)]
  return (context) => {
    const frame: Frame = { slots: new Array(counter.count).fill(MISSING), context, out: [] }
    enter(frame)
    run(frame)
    return frame.out
  }
}
