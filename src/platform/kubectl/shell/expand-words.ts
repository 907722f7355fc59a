/** Expands the words of a command: parameters, command substitutions and field splitting. */
import { UnsupportedCommand } from '#spec'
import type { Script, Word } from './script-tree.ts'

export interface Expansion {
  /** The value of a parameter; undefined if it is not set. */
  valueOf(name: string): string | undefined
  /** Runs a script and returns its output. */
  capture(script: Script): Promise<string>
}

interface Field {
  text: string
  /** Whether the field exists even if it is empty. */
  isQuoted: boolean
  /** Whether it has an unquoted character that could match file names. */
  hasPattern: boolean
}

const PATTERN = /[*?[]/

const expandPart = async (part: Word[number], expansion: Expansion): Promise<string> => {
  if (part.type === 'text') return part.text
  if (part.type === 'substitution') return (await expansion.capture(part.script)).replace(/\n+$/, '')
  const value = expansion.valueOf(part.name)
  const isMissing = value === undefined || (part.operator === ':-' && value === '')
  if (!isMissing) return value
  return part.alternative === undefined ? '' : expandText(part.alternative, expansion)
}

/** Expands a word that is not split, such as the value of an assignment. */
export const expandText = async (word: Word, expansion: Expansion): Promise<string> => {
  let text = ''
  for (const part of word) text += await expandPart(part, expansion)
  return text
}

/** Only the current folder could match, and its files are not modelled. A pattern that matches nothing is not changed. */
const checkPattern = ({ text }: Field): string => {
  if (text.includes('/') || /^[*?]+$/.test(text))
    throw new UnsupportedCommand(`the file name pattern ${text}`)
  return text
}

export const expandWord = async (word: Word, expansion: Expansion): Promise<string[]> => {
  const fields: Field[] = []
  let current: Field | undefined
  const add = (text: string, isQuoted: boolean, hasPattern: boolean): void => {
    current ??= { text: '', isQuoted: false, hasPattern: false }
    current.text += text
    current.isQuoted ||= isQuoted
    current.hasPattern ||= hasPattern
  }
  const end = (): void => {
    if (current !== undefined && (current.text !== '' || current.isQuoted)) fields.push(current)
    current = undefined
  }
  for (const part of word) {
    const text = await expandPart(part, expansion)
    if (part.isQuoted || part.type === 'text') {
      add(text, part.isQuoted, !part.isQuoted && PATTERN.test(text))
      continue
    }
    const pieces = text.split(/[ \t\n]+/)
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) end()
      if (piece !== '') add(piece, false, PATTERN.test(piece))
    }
  }
  end()
  return fields.map((field) => (field.hasPattern ? checkPattern(field) : field.text))
}
