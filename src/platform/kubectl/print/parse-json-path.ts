/** Parses the JSONPath templates of kubectl. */
import { UnsupportedCommand } from '#spec'

export type Step =
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

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly steps: readonly Step[] }
  | { readonly type: 'range'; readonly steps: readonly Step[]; readonly body: readonly Part[] }

export const refuse = (text: string): UnsupportedCommand => new UnsupportedCommand(`the JSONPath ${text}`)

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

export const parseSteps = (text: string): Step[] => {
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

export const parseJsonPath = (template: string): Part[] => parseParts({ text: template, index: 0 }, false)
