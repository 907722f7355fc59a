/** Compiles tuples, lists, dictionaries, concatenations, inline conditions and slices. */
import { getSlice } from '../methods/items.ts'
import { Dict } from '../python/dict.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { Undefined } from '../python/undefined.ts'
import { Tuple } from '../python/value.ts'
import type { Expression } from '../syntax/node.ts'
import { spendText } from '../work.ts'
import type { Evaluate, Frame } from './frame.ts'

type CompositeExpression = Extract<
  Expression,
  { type: 'tuple' | 'list' | 'dict' | 'concatenate' | 'conditional' | 'slice' }
>

const compileDict = (
  pairs: readonly (readonly [Expression, Expression])[],
  compile: (node: Expression) => Evaluate,
): Evaluate => {
  const compiled = pairs.map(([key, value]) => [compile(key), compile(value)] as const)
  return (frame) => {
    const dict = new Dict()
    for (const [key, value] of compiled) {
      const name = key(frame)
      dict.set(name, value(frame))
    }
    return dict
  }
}

const compileConditional = (
  node: Extract<Expression, { type: 'conditional' }>,
  compile: (node: Expression) => Evaluate,
): Evaluate => {
  const test = compile(node.test)
  const whenTrue = compile(node.whenTrue)
  const otherwise = node.otherwise === undefined ? undefined : compile(node.otherwise)
  const hint = `the inline if-expression on line ${node.line} evaluated to false and no else section was defined.`
  return (frame) => {
    if (isTruthy(test(frame))) return whenTrue(frame)
    return otherwise === undefined ? new Undefined({ hint }, false) : otherwise(frame)
  }
}

export const compileComposite = (
  node: CompositeExpression,
  compile: (node: Expression) => Evaluate,
): Evaluate => {
  switch (node.type) {
    case 'tuple':
    case 'list': {
      const items = node.items.map(compile)
      const evaluate = (frame: Frame): unknown[] => items.map((item) => item(frame))
      return node.type === 'list' ? evaluate : (frame) => new Tuple(evaluate(frame))
    }
    case 'dict':
      return compileDict(node.pairs, compile)
    case 'concatenate': {
      const parts = node.parts.map((part) => compile(part))
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
      return compileConditional(node, compile)
    case 'slice': {
      const owner = compile(node.owner)
      const bounds = node.bounds.map((part) => (part === undefined ? () => null : compile(part)))
      return (frame) =>
        getSlice(owner(frame), ...(bounds.map((part) => part(frame)) as [unknown, unknown, unknown]))
    }
  }
}
