/** The operators of expressions. */
import { add, multiply, subtract } from '../python/arithmetic.ts'
import { contains, equals, order } from '../python/compare.ts'
import { divide, floorDivide, modulo } from '../python/division.ts'
import { power } from '../python/power.ts'
import type { BinaryOperator, CompareOperator } from '../syntax/node.ts'

export const BINARY: Readonly<Record<BinaryOperator, (a: unknown, b: unknown) => unknown>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '//': floorDivide,
  '%': modulo,
  '**': power,
}

export const COMPARE: Readonly<Record<CompareOperator, (a: unknown, b: unknown) => boolean>> = {
  '==': equals,
  '!=': (a, b) => !equals(a, b),
  '<': (a, b) => order(a, b, '<') < 0,
  '<=': (a, b) => order(a, b, '<=') <= 0,
  '>': (a, b) => order(a, b, '>') > 0,
  '>=': (a, b) => order(a, b, '>=') >= 0,
  in: (a, b) => contains(b, a),
  'not in': (a, b) => !contains(b, a),
}
