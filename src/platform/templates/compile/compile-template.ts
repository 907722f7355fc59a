import { isTruthy } from '../python/truth.ts'
import type {
  Expression,
  FilterBlockNode,
  ForNode,
  SetBlockNode,
  Statement,
  WithNode,
} from '../syntax/node.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spend } from '../work.ts'
import { analyseExpression, analyseStatements, analyseTarget } from './analyse-statements.ts'
import { captureOutput } from './capture-output.ts'
import { childrenOf } from './children-of.ts'
import { compileAssignment } from './compile-assignment.ts'
import { ExpressionCompiler } from './compile-expression.ts'
import { compileLoop } from './compile-loop.ts'
import { enterScope } from './enter-scope.ts'
import { finalise } from './finalise.ts'
import { type Context, type Execute, type Frame, MISSING } from './frame.ts'
import type { Plugins } from './plugins.ts'
import { Scope, type SlotCounter } from './scope.ts'

/** Python allows 20 nested blocks in a function, and Ansible returns the text of a template with more. */
const MAX_LOOPS = 10

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

  #statement(statement: Statement, scope: Scope): Execute {
    switch (statement.type) {
      case 'output':
        return this.#output(statement.parts, scope)
      case 'if':
        return this.#if(statement, scope)
      case 'for':
        return this.#loop(statement, scope)
      case 'set': {
        const [assign, value] = [
          compileAssignment(statement.target, scope),
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

  #loop(node: ForNode, scope: Scope): Execute {
    this.#loops += 1
    if (this.#loops > MAX_LOOPS) throw new UnsupportedTemplate(`more than ${MAX_LOOPS} nested loops`)
    const compiled = compileLoop(node, scope, {
      expression: (part, inner) => this.#expressions.compile(part, inner),
      statements: (body, inner) => this.statements(body, inner),
    })
    this.#loops -= 1
    return compiled
  }

  #setBlock({ target, filter, body }: SetBlockNode, scope: Scope): Execute {
    const inner = scope.inner()
    analyseStatements(inner, body)
    const [enter, run] = [enterScope(inner), this.statements(body, inner)]
    const captured = captureOutput((frame) => {
      enter(frame)
      run(frame)
    })
    for (let node = filter; node !== undefined; node = node.input?.type === 'filter' ? node.input : undefined)
      if (childrenOf({ ...node, input: undefined }).length > 0)
        throw new UnsupportedTemplate('arguments of a filter in a set block')
    const value = filter === undefined ? captured : this.#expressions.filter(filter, inner, captured)
    const assign = compileAssignment(target, scope)
    return (frame) => assign(frame, value(frame))
  }

  #with({ bindings, body }: WithNode, scope: Scope): Execute {
    const inner = scope.inner()
    for (const [target] of bindings) analyseTarget(inner, target, true)
    analyseStatements(inner, body)
    const enter = enterScope(inner)
    const compiled = bindings.map(
      ([target, value]) =>
        [compileAssignment(target, inner), this.#expressions.compile(value, scope)] as const,
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
    const [enter, run] = [enterScope(inner), this.statements(body, inner)]
    const captured = captureOutput(run)
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
  const [enter, run] = [enterScope(scope), compiler.statements(statements, scope)]
  return (context) => {
    const frame: Frame = { slots: new Array(counter.count).fill(MISSING), context, out: [] }
    enter(frame)
    run(frame)
    return frame.out
  }
}
