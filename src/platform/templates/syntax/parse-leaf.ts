/** Parses expressions without parts: names, constants, numbers and strings. */
import { toFloat, toInt } from '../python/value.ts'
import { decodeString } from './decode-string.ts'
import type { Expression } from './node.ts'
import type { TokenStream } from './token-stream.ts'

const CONSTANTS = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

const parseNumber = (stream: TokenStream): Expression => {
  const { type, value } = stream.next()
  const digits = value.replaceAll('_', '')
  return { type: 'constant', value: type === 'float' ? toFloat(Number(digits)) : toInt(BigInt(digits)) }
}

const parseStrings = (stream: TokenStream): Expression => {
  let value = ''
  while (stream.is('string')) value += decodeString(stream.next().value)
  return { type: 'constant', value }
}

/** Returns undefined for other expressions. */
export const parseLeaf = (stream: TokenStream): Expression | undefined => {
  const { type, value } = stream.current
  if (type === 'name') {
    stream.next()
    return CONSTANTS.has(value)
      ? { type: 'constant', value: CONSTANTS.get(value) }
      : { type: 'name', name: value }
  }
  if (type === 'string') return parseStrings(stream)
  if (type === 'integer' || type === 'float') return parseNumber(stream)
  return undefined
}
