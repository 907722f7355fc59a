/** Upper and lower case, as Python's `str` changes and tests it. */
import { UnsupportedTemplate } from '../template-error.ts'
import { isAscii, sliceText } from './characters.ts'

/** Letters whose title case differs from their upper case are not supported. */
const toTitle = (character: string): string => {
  const upper = character.toUpperCase()
  if (
    !isAscii(character) &&
    (upper.length !== character.length || /[\u01c4-\u01cc\u01f1-\u01f3\u10d0-\u10ff]/.test(character))
  )
    throw new UnsupportedTemplate(`the title case of ${character}`)
  return upper
}

export const capitalize = (text: string): string => {
  const first = sliceText(text, 0, 1)
  return toTitle(first) + text.slice(first.length).toLowerCase()
}

const checkAscii = (text: string, what: string): void => {
  if (!isAscii(text)) throw new UnsupportedTemplate(`${what} of non-ASCII text`)
}

/** `str.title`: a word begins after a character that is not a letter. */
export const titleCase = (text: string): string => {
  checkAscii(text, 'title()')
  return text.replace(/[A-Za-z]+/g, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase())
}

export const swapCase = (text: string): string => {
  checkAscii(text, 'swapcase()')
  return text.replace(/[A-Za-z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

/** `str.islower`: the text contains a letter, and all letters are lower case. */
export const isLower = (text: string): boolean => {
  checkAscii(text, 'islower()')
  return /[a-z]/.test(text) && !/[A-Z]/.test(text)
}

export const isUpper = (text: string): boolean => {
  checkAscii(text, 'isupper()')
  return /[A-Z]/.test(text) && !/[a-z]/.test(text)
}

/** Whether the text is not empty and consists of characters of an ASCII class. */
export const consistsOf = (text: string, pattern: RegExp, what: string): boolean => {
  checkAscii(text, what)
  return text !== '' && pattern.test(text)
}
