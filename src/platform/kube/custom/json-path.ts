/** The subset of kubectl's JSONPath that printer columns and selectable fields use. */
import { isPlainObject } from '#kit'

type Step = (value: unknown) => unknown[]
/** Returns all values at a path, in order; empty if a part of the path is missing. */
export type JsonPath = (root: unknown) => unknown[]

const member =
  (name: string): Step =>
  (value) =>
    isPlainObject(value) && Object.hasOwn(value, name) ? [value[name]] : []

const children: Step = (value) =>
  Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : []

/** `[2]`, `[-1]` */
const element =
  (index: number): Step =>
  (value) => {
    const found = Array.isArray(value) ? value.at(index) : undefined
    return found === undefined ? [] : [found]
  }

/** `[1:3]` */
const slice =
  (start: number | undefined, end: number | undefined): Step =>
  (value) =>
    Array.isArray(value) ? value.slice(start, end) : []

const descendants: Step = (value) => [
  value,
  ...children(value).flatMap((inner) =>
    typeof inner === 'object' && inner !== null ? descendants(inner) : [],
  ),
]

const COMPARISONS: Readonly<Record<string, (left: any, right: any) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

const parseLiteral = (text: string): unknown => {
  const quoted = /^(['"])(.*)\1$/s.exec(text)
  if (quoted !== null) return quoted[2]
  if (text === 'true' || text === 'false') return text === 'true'
  return Number(text)
}

/** `?(@.type=="Ready")`, or `?(@.name)` for elements that have the field. */
const parseFilter = (text: string): Step => {
  const match = /^(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s.exec(text)
  const operand = (side: string): JsonPath => {
    const trimmed = side.trim()
    return trimmed.startsWith('@') ? parseJsonPath(trimmed.slice(1)) : () => [parseLiteral(trimmed)]
  }
  if (match === null) {
    const path = operand(text)
    return (value) => (Array.isArray(value) ? value.filter((item) => path(item).length > 0) : [])
  }
  const [left, compare, right] = [operand(match[1]!), COMPARISONS[match[2]!]!, operand(match[3]!)]
  return (value) =>
    Array.isArray(value)
      ? value.filter((item) => {
          const [a, b] = [left(item)[0], right(item)[0]]
          return a !== undefined && b !== undefined && compare(a, b)
        })
      : []
}

/** Parses the content of a pair of brackets. */
const parseBracket = (text: string): Step => {
  const inner = text.trim()
  if (inner === '*') return children
  const condition = /^\?\((.*)\)$/s.exec(inner)
  if (condition !== null) return parseFilter(condition[1]!)
  const quoted = /^(['"])(.*)\1$/s.exec(inner)
  if (quoted !== null) return member(quoted[2]!)
  if (/^-?\d+$/.test(inner)) return element(Number(inner))
  const range = /^(-?\d*):(-?\d*)$/.exec(inner)
  if (range === null) throw new Error(`invalid array index ${inner}`)
  const bound = (digits: string | undefined): number | undefined => (digits ? Number(digits) : undefined)
  return slice(bound(range[1]), bound(range[2]))
}

/** Returns the index of the bracket that closes the one at `start`, respecting quotes and nesting. */
const findClosing = (text: string, start: number): number => {
  let depth = 0
  let quote = ''
  for (let index = start; index < text.length; index += 1) {
    const character = text[index]!
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '[') depth += 1
    else if (character === ']') {
      depth -= 1
      if (depth === 0) return index
    }
  }
  throw new Error('unterminated array')
}

/** A name after a dot; `\.` is a dot inside the name. */
const NAME = /^((?:\\.|[^.[\]\\])+)/

/** Parses a path such as `.status.conditions[?(@.type=="Ready")].status`; throws if it is invalid. */
export const parseJsonPath = (text: string): JsonPath => {
  const steps: Step[] = []
  const source = text.replace(/^\{(.*)\}$/s, '$1').replace(/^\$/, '')
  let index = 0
  while (index < source.length) {
    if (source[index] === '[') {
      const end = findClosing(source, index)
      steps.push(parseBracket(source.slice(index + 1, end)))
      index = end + 1
      continue
    }
    if (source.startsWith('..', index)) {
      steps.push(descendants)
      index += 1
    }
    if (source[index] === '.') index += 1
    if (index === source.length || source[index] === '[') continue
    const name = NAME.exec(source.slice(index))?.[1]
    if (name === undefined) throw new Error(`unrecognized character in path: ${source.slice(index)}`)
    steps.push(name === '*' ? children : member(name.replace(/\\(.)/g, '$1')))
    index += name.length
  }
  return (root) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [root])
}
