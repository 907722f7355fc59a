/** The operators of expressions. There is one number type: `7 / 2` is 3.5, and `1 == 1.0`. */
import { ExpressionError, kindOf } from './expression-error.ts'

export type Operator = (left: unknown, right: unknown) => unknown

/** Whether two values are equal; compares lists and maps by content. */
export const isSame = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]))
  const leftMap = left as Readonly<Record<string, unknown>>
  const rightMap = right as Readonly<Record<string, unknown>>
  const keys = Object.keys(leftMap)
  return (
    keys.length === Object.keys(rightMap).length &&
    keys.every((key) => Object.hasOwn(rightMap, key) && isSame(leftMap[key], rightMap[key]))
  )
}

const wrongTypes = (operator: string, left: unknown, right: unknown): ExpressionError =>
  new ExpressionError(`"${operator}" does not accept ${kindOf(left)} and ${kindOf(right)}`)

const onNumbers =
  (operator: string, calculate: (left: number, right: number) => number): Operator =>
  (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return calculate(left, right)
    throw wrongTypes(operator, left, right)
  }

const onOrdered =
  (operator: string, decide: (left: number | string, right: number | string) => boolean): Operator =>
  (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return decide(left, right)
    if (typeof left === 'string' && typeof right === 'string') return decide(left, right)
    throw wrongTypes(operator, left, right)
  }

const add: Operator = (left, right) => {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (typeof left === 'string' && typeof right === 'string') return left + right
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
  throw wrongTypes('+', left, right)
}

const contains: Operator = (left, right) => {
  if (Array.isArray(right)) return right.some((item) => isSame(item, left))
  if (right !== null && typeof right === 'object') return Object.hasOwn(right, String(left))
  throw wrongTypes('in', left, right)
}

const requireNonZero = (right: number): number => {
  if (right === 0) throw new ExpressionError('division by zero')
  return right
}

export const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': add,
  '-': onNumbers('-', (left, right) => left - right),
  '*': onNumbers('*', (left, right) => left * right),
  '/': onNumbers('/', (left, right) => left / requireNonZero(right)),
  '%': onNumbers('%', (left, right) => left % requireNonZero(right)),
  '==': isSame,
  '!=': (left, right) => !isSame(left, right),
  '<': onOrdered('<', (left, right) => left < right),
  '<=': onOrdered('<=', (left, right) => left <= right),
  '>': onOrdered('>', (left, right) => left > right),
  '>=': onOrdered('>=', (left, right) => left >= right),
  in: contains,
}
