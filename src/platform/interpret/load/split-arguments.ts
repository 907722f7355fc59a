/** Splits `key=value` arguments and the free text of commands, as Ansible does before it renders templates. */
import { AnsibleError } from './ansible-error.ts'

const COMMAND_OPTIONS = new Set([
  'creates',
  'removes',
  'chdir',
  'executable',
  'warn',
  'stdin',
  'stdin_add_newline',
  'strip_empty_ends',
])

/** The quote character that is still open after the token. */
const quoteAfter = (token: string, open: string | undefined): string | undefined => {
  let quote = open
  for (const [index, character] of [...token].entries()) {
    if ((character !== '"' && character !== "'") || token[index - 1] === '\\') continue
    if (quote === undefined) quote = character
    else if (quote === character) quote = undefined
  }
  return quote
}

const count = (text: string, part: string): number => text.split(part).length - 1

const BRACKETS = [
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}'],
] as const

interface SplitState {
  readonly words: string[]
  readonly depths: number[]
  quote: string | undefined
}

const appendToLast = (words: string[], text: string): void => {
  if (words.length === 0) throw new AnsibleError('Unable to parse argument string')
  words[words.length - 1] += text
}

const addToken = (state: SplitState, token: string, index: number, tokenCount: number): void => {
  const { words, depths } = state
  const wasQuoted = state.quote !== undefined
  state.quote = quoteAfter(token, state.quote)
  const isQuoted = state.quote !== undefined
  const isNested = depths.some((depth) => depth > 0)
  let isAdded = false
  if (isQuoted && !wasQuoted && !isNested) {
    words.push(token)
    isAdded = true
  } else if (isNested || isQuoted || wasQuoted) {
    if (index === 0 && wasQuoted) appendToLast(words, token)
    else if (tokenCount > 1) appendToLast(words, `${index > 0 ? ' ' : ''}${token}`)
    else appendToLast(words, `\n${token}`)
    isAdded = true
  }
  for (const [bracket, [open, close]] of BRACKETS.entries()) {
    const change = count(token, open) - count(token, close)
    const depth = Math.max(0, depths[bracket]! + change)
    if (depth !== depths[bracket] && !isAdded) {
      words.push(token)
      isAdded = true
    }
    depths[bracket] = depth
  }
  const isOpen = depths.some((depth) => depth > 0) || isQuoted
  if (!isOpen && !isAdded && token !== '') words.push(token)
}

/** Splits at spaces outside quotes and expressions. Preserves newlines. */
export const splitArguments = (text: string): string[] => {
  const state: SplitState = { words: [], depths: [0, 0, 0], quote: undefined }
  const lines = text.split('\n')
  for (const [lineIndex, line] of lines.entries()) {
    const tokens = line.split(' ')
    let isContinued = false
    for (const [index, token] of tokens.entries()) {
      if (token === '' && index !== 0) appendToLast(state.words, ' ')
      else if (token === '\\' && state.quote === undefined) isContinued = true
      else addToken(state, token, index, tokens.length)
    }
    if (lines.length > 1 && lineIndex !== lines.length - 1 && !isContinued) appendToLast(state.words, '\n')
  }
  if (state.quote !== undefined || state.depths.some((depth) => depth > 0))
    throw new AnsibleError(
      `failed at splitting arguments, either an unbalanced jinja2 block or quotes: ${text}`,
    )
  return state.words
}

const joinArguments = (words: readonly string[]): string => {
  let text = ''
  for (const word of words) text += text === '' || text.endsWith('\n') ? word : ` ${word}`
  return text
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const decodeEscapes = (text: string): string =>
  text.replaceAll(
    /\\(?:U([0-9a-fA-F]{8})|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\\'"abfnrtv]))/g,
    (_, long?: string, short?: string, byte?: string, simple?: string) =>
      simple === undefined
        ? String.fromCodePoint(Number.parseInt(long ?? short ?? byte!, 16))
        : ESCAPES[simple]!,
  )

const unquote = (text: string): string => {
  const first = text[0]
  const isQuoted =
    text.length > 1 && (first === '"' || first === "'") && text.endsWith(first) && text.at(-2) !== '\\'
  return isQuoted ? text.slice(1, -1) : text
}

/** The index of the first equals sign that is neither first nor escaped, or -1. */
const findEquals = (word: string): number => {
  let at = word.indexOf('=', 1)
  while (at > 0 && word[at - 1] === '\\') at = word.indexOf('=', at + 1)
  return at
}

/** Text that is not an assignment becomes `_raw_params`. For commands, only their own options are assignments. */
export const parseArguments = (text: string, isCommand: boolean): Record<string, unknown> => {
  const options: Record<string, unknown> = {}
  const raw: string[] = []
  for (const original of splitArguments(text)) {
    const word = decodeEscapes(original)
    if (!word.includes('=')) {
      raw.push(original)
      continue
    }
    const at = findEquals(word)
    if (at < 0) raw.push(word.replaceAll('\\=', '='))
    else if (isCommand && !COMMAND_OPTIONS.has(word.slice(0, at))) raw.push(original)
    else options[word.slice(0, at).trim()] = unquote(word.slice(at + 1).trim())
  }
  if (raw.length > 0) options._raw_params = joinArguments(raw)
  return options
}
