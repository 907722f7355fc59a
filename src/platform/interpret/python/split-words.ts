/** Splits a command into words as Python's `shlex.split` does. */

export class SplitError extends Error {}

type State = ' ' | 'word' | '"' | "'"

const isSpace = (character: string): boolean => ' \t\r\n'.includes(character)

/** Throws a SplitError with Python's message if a quote is not closed. */
export const splitWords = (text: string): string[] => {
  const words: string[] = []
  let word = ''
  let isQuoted = false
  let state: State = ' '
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!
    if (state === "'" || (state === '"' && character === '"')) {
      if (character === state) state = 'word'
      else word += character
    } else if (character === '\\') {
      index += 1
      if (index >= text.length) throw new SplitError('No escaped character')
      const next = text[index]!
      word += state === '"' && next !== '"' && next !== '\\' ? `\\${next}` : next
      if (state === ' ') state = 'word'
    } else if (state === '"') word += character
    else if (character === '"' || character === "'") {
      state = character
      isQuoted = true
    } else if (isSpace(character)) {
      if (word !== '' || isQuoted) words.push(word)
      word = ''
      isQuoted = false
      state = ' '
    } else {
      word += character
      state = 'word'
    }
  }
  if (state === '"' || state === "'") throw new SplitError('No closing quotation')
  if (word !== '' || isQuoted) words.push(word)
  return words
}
