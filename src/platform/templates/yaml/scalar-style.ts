/** Chooses how the YAML emitter writes a string: plain, in single or in double quotes. */
import { scalarType } from './resolve-scalar.ts'

export interface ScalarContext {
  readonly isFlow: boolean
  /** A key on the same line as its value. */
  readonly isSimpleKey: boolean
}

const BREAK = /[\r\n\x85\u2028\u2029]/
/** libyaml treats characters above U+FFFF as not printable. */
const UNPRINTABLE = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\r]|[\r\x85\ufeff\u2028\u2029]|[\ud800-\udfff]/
const FIRST_INDICATOR = /^[#,[\]{}&*!|>'"%@`]/
const BLANK_OR_END = /^(?:[ \t\r\n\x85\u2028\u2029]|$)/

interface Analysis {
  readonly isMultiline: boolean
  readonly isPlainInFlow: boolean
  readonly isPlainInBlock: boolean
  readonly isSingleQuoted: boolean
}

const hasBlockIndicators = (text: string): boolean =>
  /^(?:---|\.\.\.)/.test(text) ||
  FIRST_INDICATOR.test(text) ||
  (/^[?:-]/.test(text) && BLANK_OR_END.test(text.slice(1))) ||
  /:(?:[ \t\r\n\x85\u2028\u2029]|$)/.test(text) ||
  /[ \t\r\n\x85\u2028\u2029]#/.test(text)

const hasFlowIndicators = (text: string): boolean =>
  hasBlockIndicators(text) || /^[?:]/.test(text) || /[,?[\]{}:]/.test(text.slice(1))

const analyse = (text: string): Analysis => {
  if (text === '')
    return { isMultiline: false, isPlainInFlow: false, isPlainInBlock: true, isSingleQuoted: true }
  const isMultiline = BREAK.test(text)
  const isSpecial = UNPRINTABLE.test(text) || / [\r\n\x85\u2028\u2029]/.test(text)
  const hasBreakSpace = /[\r\n\x85\u2028\u2029] /.test(text)
  const isPadded = /^[ \r\n\x85\u2028\u2029]|[ \r\n\x85\u2028\u2029]$/.test(text)
  const isPlain = !isMultiline && !isSpecial && !isPadded
  return {
    isMultiline,
    isPlainInFlow: isPlain && !hasFlowIndicators(text),
    isPlainInBlock: isPlain && !hasBlockIndicators(text),
    isSingleQuoted: !isSpecial && !hasBreakSpace,
  }
}

export type ScalarStyle = 'plain' | 'single' | 'double'

/** The style of a string; values of other types are plain. */
export const styleOf = (text: string, { isFlow, isSimpleKey }: ScalarContext): ScalarStyle => {
  const analysis = analyse(text)
  if (isSimpleKey && analysis.isMultiline) return 'double'
  const isPlainAllowed = isFlow ? analysis.isPlainInFlow : analysis.isPlainInBlock
  if (isPlainAllowed && text !== '' && scalarType(text) === 'str') return 'plain'
  return analysis.isSingleQuoted ? 'single' : 'double'
}

export const isUnprintable = (character: string): boolean => UNPRINTABLE.test(character)
