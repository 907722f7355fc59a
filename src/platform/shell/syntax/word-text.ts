/** The text of a word without expansions. */
import type { Word } from './script-tree.ts'

/** The text of a word without expansions; undefined if it has any. */
export const plainText = (word: Word): string | undefined => {
  let text = ''
  for (const part of word) {
    if (part.type !== 'text') return undefined
    text += part.text
  }
  return text
}

/** The text of a word that is not quoted at all: only such words are keywords. */
export const bareText = (word: Word): string | undefined =>
  word.some((part) => part.type === 'text' && part.isQuoted) ? undefined : plainText(word)
