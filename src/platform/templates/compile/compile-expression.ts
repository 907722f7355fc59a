/** Compiles expressions to functions. */
import { getAttribute, getItem, getSlice } from '../methods/items.ts'
import {
  add,
  divide,
  floorDivide,
  modulo,
  multiply,
  negate,
  positive,
  power,
  subtract,
} from '../python/arithmetic.ts'
import { contains, equals, order } from '../python/compare.ts'
import { Dict, dictEntries, isDict } from '../python/dict.ts'
import { iterate } from '../python/iterate.ts'
import { PythonError, typeError } from '../python/python-error.ts'
import { reprText, toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { Callable, isString, type Keywords, NO_KEYWORDS, plainCharactersOf, Tuple } from '../python/value.ts'
import type { Arguments, BinaryOperator, CompareOperator, Expression, FilterNode } from '../syntax/node.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spend, spendText } from '../work.ts'
import { checkFolding } from './constant-folding.ts'
import { type Evaluate, type Frame, MISSING } from './frame.ts'
import type { Plugins } from './plugins.ts'
import type { Scope } from './scope.ts'

const BINARY: Readonly<Record<BinaryOperator, (a: unknown, b: unknown) => unknown>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '//': floorDivide,
  '%': modulo,
  '**': power,
}

const COMPARE: Readonly<Record<CompareOperator, (a: unknown, b: unknown) => boolean>> = {
  '==': equals,
  '!=': (a, b) => !equals(a, b),
  '<': (a, b) => order(a, b, '<') < 0,
  '<=': (a, b) => order(a, b, '<=') <= 0,
  '>': (a, b) => order(a, b, '>') > 0,
  '>=': (a, b) => order(a, b, '>=') >= 0,
  in: (a, b) => contains(b, a),
  'not in': (a, b) => !contains(b, a),
}

interface EvaluatedArguments {
  readonly args: readonly unknown[]
  readonly keywords: Keywords
}

const NO_ARGUMENTS: EvaluatedArguments = { args: [], keywords: NO_KEYWORDS }

const addSpread = (keywords: Map<string, unknown>, value: unknown): void => {
  if (!isDict(value)) {
    if (value instanceof Undefined) throw new UnsupportedTemplate('** with an undefined value')
    throw typeError(`argument after ** must be a mapping, not ${typeName(value)}`)
  }
  for (const [key, item] of dictEntries(value)) {
    if (!isString(key)) throw typeError('keywords must be strings')
    const name = plainCharactersOf(key)
    if (keywords.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`)
    keywords.set(name, item)
  }
}

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
        return this.#name(node.name, scope)
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
        return this.#composite(node, scope)
    }
  }

  #composite(
    node: Extract<Expression, { type: 'tuple' | 'list' | 'dict' | 'concatenate' | 'conditional' | 'slice' }>,
    scope: Scope,
  ): Evaluate {
    switch (node.type) {
      case 'tuple':
      case 'list': {
        const items = node.items.map((item) => this.compile(item, scope))
        const evaluate = (frame: Frame): unknown[] => items.map((item) => item(frame))
        return node.type === 'list' ? evaluate : (frame) => new Tuple(evaluate(frame))
      }
      case 'dict':
        return this.#dict(node.pairs, scope)
      case 'concatenate': {
        const parts = node.parts.map((part) => this.compile(part, scope))
        return (frame) => {
          const text = parts
            .map((part) => part(frame))
            .map(toText)
            .join('')
          spendText(text.length)
          return text
        }
      }
      case 'conditional':
        return this.#conditional(node, scope)
      case 'slice': {
        const owner = this.compile(node.owner, scope)
        const bounds = node.bounds.map((part) =>
          part === undefined ? () => null : this.compile(part, scope),
        )
        return (frame) =>
          getSlice(owner(frame), ...(bounds.map((part) => part(frame)) as [unknown, unknown, unknown]))
      }
    }
  }

  #name(name: string, scope: Scope): Evaluate {
    if (name === 'self' || name === 'super' || name === 'caller')
      return () => {
        throw new UnsupportedTemplate(`the name ${name}`)
      }
    const slot = scope.slotOf(name)
    if (slot === undefined) throw new Error(`the name ${name} was not analysed`)
    if (scope.isParameter(slot)) return (frame) => frame.slots[slot]
    return ({ slots }) => {
      const value = slots[slot]
      return value === MISSING || value === undefined
        ? new Undefined({ name, nameRepr: reprText(name) })
        : value
    }
  }

  #dict(pairs: readonly (readonly [Expression, Expression])[], scope: Scope): Evaluate {
    const compiled = pairs.map(
      ([key, value]) => [this.compile(key, scope), this.compile(value, scope)] as const,
    )
    return (frame) => {
      const dict = new Dict()
      for (const [key, value] of compiled) {
        const name = key(frame)
        dict.set(name, value(frame))
      }
      return dict
    }
  }

  #conditional(node: Extract<Expression, { type: 'conditional' }>, scope: Scope): Evaluate {
    const test = this.compile(node.test, scope)
    const whenTrue = this.compile(node.whenTrue, scope)
    const otherwise = node.otherwise === undefined ? undefined : this.compile(node.otherwise, scope)
    const hint = `the inline if-expression on line ${node.line} evaluated to false and no else section was defined.`
    return (frame) => {
      if (isTruthy(test(frame))) return whenTrue(frame)
      return otherwise === undefined ? new Undefined({ hint }, false) : otherwise(frame)
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

  #arguments(
    { positional, keywords, spread, keywordSpread }: Arguments,
    scope: Scope,
  ): (frame: Frame) => EvaluatedArguments {
    if (positional.length + keywords.length === 0 && spread === undefined && keywordSpread === undefined)
      return () => NO_ARGUMENTS
    const values = positional.map((value) => this.compile(value, scope))
    const named = keywords.map(([name, value]) => [name, this.compile(value, scope)] as const)
    const more = spread === undefined ? undefined : this.compile(spread, scope)
    const moreNamed = keywordSpread === undefined ? undefined : this.compile(keywordSpread, scope)
    return (frame) => {
      const args = values.map((value) => value(frame))
      const map = new Map(named.map(([name, value]) => [name, value(frame)]))
      if (more !== undefined) args.push(...iterate(more(frame)))
      if (moreNamed !== undefined) addSpread(map, moreNamed(frame))
      return { args, keywords: map }
    }
  }

  /** `body` returns the text to filter if the filter belongs to a block. */
  filter(node: FilterNode, scope: Scope, body?: Evaluate): Evaluate {
    const plugin = this.#plugins.filter(node.name)
    const input = this.#input(node.input, scope, body)
    const evaluateArguments = this.#arguments(node.args, scope)
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
    const evaluateArguments = this.#arguments(node.args, scope)
    return (frame) => {
      spend(1)
      const value = input(frame)
      const { args, keywords } = evaluateArguments(frame)
      return plugin(frame.context, value, args, keywords)
    }
  }

  #call(node: Extract<Expression, { type: 'call' }>, scope: Scope): Evaluate {
    const callee = this.compile(node.callee, scope)
    const evaluateArguments = this.#arguments(node.args, scope)
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
