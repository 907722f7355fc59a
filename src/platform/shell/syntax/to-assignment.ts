/** Recognises a word that assigns a variable. */
import type { Word } from './script-tree.ts'

export interface Assignment {
  readonly name: string
  readonly value: Word
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=/

const withoutPrefix = (word: Word, length: number): Word => {
  let left = length
  return word.flatMap((part) => {
    if (left === 0 || part.type !== 'text') return [part]
    const cut = Math.min(left, part.text.length)
    left -= cut
    const text = part.text.slice(cut)
    return text === '' && !part.isQuoted ? [] : [{ ...part, text }]
  })
}

/** The unquoted text at the start of a word. */
const leadingText = (word: Word): string => {
  let text = ''
  for (const part of word) {
    if (part.type !== 'text' || part.isQuoted) break
    text += part.text
  }
  return text
}

/** Returns undefined if the word assigns no variable. */
export const toAssignment = (word: Word): Assignment | undefined => {
  const assignment = ASSIGNMENT.exec(leadingText(word))
  if (assignment === null) return undefined
  return { name: assignment[1]!, value: withoutPrefix(word, assignment[0].length) }
}
