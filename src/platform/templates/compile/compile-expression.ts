/** Compiles expressions to functions. */
import { getAttribute, getItem } from '../methods/items.ts'
import { PythonError } from '../python/python-error.ts'
import { negate, positive } from '../python/sign.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { Callable } from '../python/value.ts'
import type { Expression, FilterNode } from '../syntax/node.ts'
import { spend } from '../work.ts'
import { compileArguments } from './compile-arguments.ts'
import { compileComposite } from './compile-composite.ts'
import { compileName } from './compile-name.ts'
import { checkFolding } from './constant-folding.ts'
import type { Evaluate } from './frame.ts'
import { BINARY, COMPARE } from './operators.ts'
import type { Plugins } from './plugins.ts'
import type { Scope } from './scope.ts'

export class ExpressionCompiler {
  readonly #plugins: Plugins

  constructor(plugins: Plugins) {
    this.#plugins = plugins
  }

  compile(node: Expression, scope: Scope): Evaluate {
    spend(1)
    checkFolding(node, (part) => this.compile(part, scope))
    switch (node.type) {
      case 'constant':
        return () => node.value
      case 'name':
        return compileName(node.name, scope)
      case 'attribute': {
        const owner = this.compile(node.owner, scope)
        return (frame) => getAttribute(owner(frame), node.name)
      }
      case 'item': {
        const [owner, key] = [this.compile(node.owner, scope), this.compile(node.key, scope)]
        return (frame) => getItem(owner(frame), key(frame))
      }
      case 'filter':
        return this.filter(node, scope)
      case 'test':
        return this.#test(node, scope)
      case 'call':
        return this.#call(node, scope)
      case 'and':
      case 'or':
        return this.#logic(node, scope)
      case 'unary':
        return this.#unary(node, scope)
      case 'compare':
        return this.#compare(node, scope)
      case 'binary':
        return this.#binary(node, scope)
      default:
        return compileComposite(node, (part) => this.compile(part, scope))
    }
  }

  #logic(node: Extract<Expression, { type: 'and' | 'or' }>, scope: Scope): Evaluate {
    const [left, right] = [this.compile(node.left, scope), this.compile(node.right, scope)]
    const stopsAt = node.type === 'or'
    return (frame) => {
      const value = left(frame)
      return isTruthy(value) === stopsAt ? value : right(frame)
    }
  }

  #unary(node: Extract<Expression, { type: 'unary' }>, scope: Scope): Evaluate {
    const operand = this.compile(node.operand, scope)
    if (node.operator === 'not') return (frame) => !isTruthy(operand(frame))
    return node.operator === '-' ? (frame) => negate(operand(frame)) : (frame) => positive(operand(frame))
  }

  #compare(node: Extract<Expression, { type: 'compare' }>, scope: Scope): Evaluate {
    const first = this.compile(node.first, scope)
    const rest = node.rest.map(
      ([operator, operand]) => [COMPARE[operator], this.compile(operand, scope)] as const,
    )
    return (frame) => {
      let left = first(frame)
      for (const [compare, operand] of rest) {
        const right = operand(frame)
        if (!compare(left, right)) return false
        left = right
      }
      return true
    }
  }

  #binary(node: Extract<Expression, { type: 'binary' }>, scope: Scope): Evaluate {
    const [left, right] = [this.compile(node.left, scope), this.compile(node.right, scope)]
    const operate = BINARY[node.operator]
    return (frame) => {
      spend(1)
      const value = left(frame)
      return operate(value, right(frame))
    }
  }

  /** `body` returns the text to filter if the filter belongs to a block. */
  filter(node: FilterNode, scope: Scope, body?: Evaluate): Evaluate {
    const plugin = this.#plugins.filter(node.name)
    const input = this.#input(node.input, scope, body)
    const evaluateArguments = compileArguments(node.args, (part) => this.compile(part, scope))
    return (frame) => {
      spend(1)
      const value = input(frame)
      const { args, keywords } = evaluateArguments(frame)
      return plugin(frame.context, value, args, keywords)
    }
  }

  #input(node: Expression | undefined, scope: Scope, body: Evaluate | undefined): Evaluate {
    if (node === undefined) return body!
    return node.type === 'filter' ? this.filter(node, scope, body) : this.compile(node, scope)
  }

  #test(node: Extract<Expression, { type: 'test' }>, scope: Scope): Evaluate {
    const plugin = this.#plugins.test(node.name)
    const input = this.compile(node.input, scope)
    const evaluateArguments = compileArguments(node.args, (part) => this.compile(part, scope))
    return (frame) => {
      spend(1)
      const value = input(frame)
      const { args, keywords } = evaluateArguments(frame)
      return plugin(frame.context, value, args, keywords)
    }
  }

  #call(node: Extract<Expression, { type: 'call' }>, scope: Scope): Evaluate {
    const callee = this.compile(node.callee, scope)
    const evaluateArguments = compileArguments(node.args, (part) => this.compile(part, scope))
    return (frame) => {
      spend(1)
      const target = callee(frame)
      const { args, keywords } = evaluateArguments(frame)
      if (target instanceof Callable) return target.call(args, keywords)
      if (target instanceof Undefined) target.fail()
      throw new PythonError('TypeError', `'${typeName(target)}' object is not callable`)
    }
  }
}
