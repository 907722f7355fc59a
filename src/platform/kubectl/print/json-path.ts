/** The JSONPath templates of kubectl: `{.items[*].metadata.name}`, `{range}` and filters. */
import { isPlainObject } from '#kit'
import { UnsupportedCommand } from '#spec'

type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | {
      readonly type: 'slice'
      readonly from: number | undefined
      readonly to: number | undefined
      readonly isSingle: boolean
    }
  | {
      readonly type: 'filter'
      readonly left: readonly Step[]
      readonly operator?: string
      readonly right?: unknown
    }

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly steps: readonly Step[] }
  | { readonly type: 'range'; readonly steps: readonly Step[]; readonly body: readonly Part[] }

const refuse = (text: string): UnsupportedCommand => new UnsupportedCommand(`the JSONPath ${text}`)

const FIELD = /(?:\.\.)?\.?((?:[A-Za-z_$@][\w-]*|\*|(?:\\.|[\w-])+))/y

const unescapeText = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, character: string) =>
    character === 'n' ? '\n' : character === 't' ? '\t' : character === 'r' ? '\r' : character,
  )

/** Returns the position after the bracket that closes the one at `start`. Ignores brackets in quotes. */
const findClosing = (text: string, start: number, open: string, close: string): number => {
  let depth = 0
  let quote: string | undefined
  for (let index = start; index < text.length; index += 1) {
    const character = text[index]!
    if (quote !== undefined) {
      if (character === '\\') index += 1
      else if (character === quote) quote = undefined
    } else if (character === '"' || character === "'") quote = character
    else if (character === open) depth += 1
    else if (character === close) {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
  throw refuse(text)
}

const parseLiteral = (text: string): unknown => {
  const quoted = /^(["'])((?:[^\\]|\\.)*)\1$/.exec(text)
  if (quoted !== null) return unescapeText(quoted[2]!)
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  throw refuse(text)
}

const parseFilter = (text: string): Step => {
  const [, left = '', operator, right] =
    /^\s*(@[^=!<>]*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?))?\s*$/.exec(text) ?? []
  if (!left.startsWith('@')) throw refuse(text)
  const steps = parseSteps(left.slice(1))
  return operator === undefined
    ? { type: 'filter', left: steps }
    : { type: 'filter', left: steps, operator, right: parseLiteral(right!) }
}

const parseBracket = (content: string): Step => {
  if (content === '*') return { type: 'wildcard' }
  if (content.startsWith('?(') && content.endsWith(')')) return parseFilter(content.slice(2, -1))
  if (/^(['"]).*\1$/.test(content)) return { type: 'field', name: content.slice(1, -1) }
  if (/^-?\d+$/.test(content)) {
    const from = Number(content)
    return { type: 'slice', from, to: from === -1 ? undefined : from + 1, isSingle: true }
  }
  const [, from, to] = /^(-?\d*):(-?\d*)$/.exec(content) ?? []
  if (from === undefined) throw refuse(`[${content}]`)
  return {
    type: 'slice',
    from: from === '' ? undefined : Number(from),
    to: to === '' ? undefined : Number(to),
    isSingle: false,
  }
}

const parseSteps = (text: string): Step[] => {
  const steps: Step[] = []
  let index = 0
  while (index < text.length) {
    if (text[index] === '[') {
      const end = findClosing(text, index, '[', ']')
      steps.push(parseBracket(text.slice(index + 1, end - 1)))
      index = end
      continue
    }
    if (text.startsWith('..', index)) steps.push({ type: 'recursive' })
    if (text === '.' || text === '$') return steps
    FIELD.lastIndex = index
    const found = FIELD.exec(text)
    if (found === null) throw refuse(text)
    index += found[0].length
    const name = found[1]!.replaceAll('\\', '')
    if (name === '$' || name === '@') continue
    steps.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name })
  }
  return steps
}

interface ParseState {
  readonly text: string
  index: number
}

const parseParts = (state: ParseState, isNested: boolean): Part[] => {
  const parts: Part[] = []
  const { text } = state
  while (state.index < text.length) {
    if (text[state.index] !== '{') {
      const next = text.indexOf('{', state.index)
      const end = next < 0 ? text.length : next
      parts.push({ type: 'text', text: text.slice(state.index, end) })
      state.index = end
      continue
    }
    const end = findClosing(text, state.index, '{', '}')
    const content = text.slice(state.index + 1, end - 1).trim()
    state.index = end
    if (content === 'end') {
      if (!isNested) throw refuse(text)
      return parts
    }
    if (/^range\b/.test(content))
      parts.push({
        type: 'range',
        steps: parseSteps(content.slice('range'.length).trim()),
        body: parseParts(state, true),
      })
    else if (/^["']/.test(content)) parts.push({ type: 'text', text: unescapeText(content.slice(1, -1)) })
    else parts.push({ type: 'path', steps: parseSteps(content) })
  }
  if (isNested) throw refuse(text)
  return parts
}

const compare = (left: unknown, operator: string, right: unknown): boolean => {
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (typeof left !== typeof right) throw refuse(`the comparison ${operator}`)
  const [a, b] = [left as string | number, right as string | number]
  return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b
}

const membersOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  // Go visits the keys of a map in random order, so kubectl sorts them.
  return isPlainObject(value)
    ? Object.keys(value)
        .sort()
        .map((key) => value[key])
    : []
}

const descendantsOf = (value: unknown): unknown[] => [value, ...membersOf(value).flatMap(descendantsOf)]

/** Ignores fields that do not exist, as `kubectl get` does. */
const applyStep = (value: unknown, step: Step): unknown[] => {
  switch (step.type) {
    case 'field':
      return isPlainObject(value) && step.name in value ? [value[step.name]] : []
    case 'wildcard':
      return membersOf(value)
    case 'recursive':
      return descendantsOf(value)
    case 'slice': {
      if (!Array.isArray(value)) return []
      if (
        step.isSingle &&
        step.from !== undefined &&
        (step.from >= value.length || -step.from > value.length)
      )
        throw refuse(`index ${step.from} beyond the end of a list`)
      return value.slice(step.from, step.to)
    }
    default:
      return membersOf(value).filter((member) => {
        const left = evaluateSteps([member], step.left)
        if (step.operator === undefined) return left.length > 0
        return left.length > 0 && compare(left[0], step.operator, step.right)
      })
  }
}

const evaluateSteps = (values: readonly unknown[], steps: readonly Step[]): unknown[] =>
  steps.reduce<unknown[]>((current, step) => current.flatMap((value) => applyStep(value, step)), [...values])

/** Values as kubectl prints them: JSON for lists and maps. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(sortKeys(value)) : String(value)
}

const printParts = (parts: readonly Part[], root: unknown, current: unknown): string =>
  parts
    .map((part) => {
      if (part.type === 'text') return part.text
      const start = part.type === 'path' || part.type === 'range' ? current : root
      const values = evaluateSteps([start], part.steps)
      if (part.type === 'path') return values.map(valueText).join(' ')
      return values.map((value) => printParts(part.body, root, value)).join('')
    })
    .join('')

/** Throws UnsupportedCommand for a template that is not modelled, and for an index beyond the end: kubectl then prints the object in Go's syntax. */
export const printJsonPath = (template: string, value: unknown): string =>
  printParts(parseParts({ text: template, index: 0 }, false), value, value)

/** The values of a bare path such as `.metadata.name` or `{.metadata.name}`. */
export const valuesAt = (path: string, value: unknown): unknown[] => {
  const bare = path.replace(/^\{\s*|\s*\}$/g, '')
  return evaluateSteps([value], parseSteps(bare.startsWith('.') || bare.startsWith('[') ? bare : `.${bare}`))
}
