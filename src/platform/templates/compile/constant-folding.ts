/**
 * Jinja evaluates constant expressions when it compiles a template. If that fails in a way that Jinja does not expect, Ansible returns
 * the text of the template as its result. Such templates are not supported. They use an undefined constant, such as `[] | first`, where
 * its truth or its text matters, a list as the key of a constant dictionary, or a constant slice that fails.
 */
import { getSlice } from '../methods/items.ts'
import { checkHashable } from '../python/dict.ts'
import { PythonError } from '../python/python-error.ts'
import { Undefined } from '../python/undefined.ts'
import type { Expression } from '../syntax/node.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { childrenOf } from './children-of.ts'
import type { Context, Evaluate } from './frame.ts'

type Compile = (node: Expression) => Evaluate

/** Filters that need the context are not evaluated early. */
const CONTEXT_FILTERS = new Set(['map', 'select', 'reject', 'selectattr', 'rejectattr'])

const isConstant = (node: Expression): boolean => {
  if (node.type === 'name' || node.type === 'call') return false
  if (node.type === 'filter' && CONTEXT_FILTERS.has(node.name)) return false
  return childrenOf(node).every(isConstant)
}

/** A placeholder: constants do not use the context. */
const NO_CONTEXT = {
  callFilter: () => {
    throw new UnsupportedTemplate('this constant')
  },
} as unknown as Context

/** Marks a constant whose evaluation fails. */
const FAILED = Symbol('failed')

/** Caches the values of constants, because checks of outer expressions evaluate inner ones repeatedly. */
const cachedValues = new WeakMap<Expression, unknown>()

const evaluateConstant = (node: Expression, compile: Compile): unknown => {
  try {
    return compile(node)({ slots: [], context: NO_CONTEXT, out: [] })
  } catch (error) {
    if (error instanceof PythonError) return FAILED
    throw error
  }
}

/** The value of a constant expression. */
const constantValue = (node: Expression, compile: Compile): unknown => {
  if (node.type === 'constant') return node.value
  if (!cachedValues.has(node)) cachedValues.set(node, evaluateConstant(node, compile))
  return cachedValues.get(node)
}

const checkConstant = (node: Expression, compile: Compile): void => {
  const value = isConstant(node) ? constantValue(node, compile) : undefined
  if (value instanceof Undefined && value.isStrict)
    throw new UnsupportedTemplate('the truth or the text of an undefined constant')
}

const checkKey = (node: Expression, compile: Compile): void => {
  const value = isConstant(node) ? constantValue(node, compile) : FAILED
  if (value === FAILED) return
  try {
    checkHashable(value)
  } catch (error) {
    if (error instanceof PythonError) throw new UnsupportedTemplate('a list or dictionary as a key')
    throw error
  }
}

/** A failing slice is an error at run time, but an undefined value in a constant. */
const checkSlice = ({ owner, bounds }: Extract<Expression, { type: 'slice' }>, compile: Compile): void => {
  const parts = [owner, ...bounds]
  if (!parts.every((part) => part === undefined || isConstant(part))) return
  const [value, start, stop, step] = parts.map((part) =>
    part === undefined ? null : constantValue(part, compile),
  )
  if ([value, start, stop, step].includes(FAILED)) return
  try {
    getSlice(value, start, stop, step)
  } catch (error) {
    if (error instanceof PythonError) throw new UnsupportedTemplate('a constant slice that fails')
    throw error
  }
}

/** Throws UnsupportedTemplate if Jinja would fail to compile the expression. */
export const checkFolding = (node: Expression, compile: Compile): void => {
  if (node.type === 'and' || node.type === 'or') checkConstant(node.left, compile)
  else if (node.type === 'conditional') checkConstant(node.test, compile)
  else if (node.type === 'dict') for (const [key] of node.pairs) checkKey(key, compile)
  else if (node.type === 'slice') checkSlice(node, compile)
  if (node.type !== 'concatenate') return
  for (const part of node.parts) {
    if (!isConstant(part)) return
    checkConstant(part, compile)
  }
}
