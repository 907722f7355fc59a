/** Implements `str.replace`, `str.split` and `str.count`. */
import { spendItems, spendText } from '../work.ts'
import { lengthOf, splitSpace, stripEnd, stripStart, toCharacters } from './characters.ts'
import { valueError } from './python-error.ts'

/** Replaces at most `count` occurrences; all of them if it is negative. */
export const replaceText = (text: string, old: string, replacement: string, count: number): string => {
  const parts = old === '' ? ['', ...toCharacters(text), ''] : text.split(old)
  const limit = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1)
  spendText(text.length + limit * replacement.length)
  const head = parts.slice(0, limit + 1).join(replacement)
  return [head, ...parts.slice(limit + 1)].join(old)
}

/** Counts occurrences that do not overlap. */
export const countText = (text: string, part: string): number =>
  part === '' ? lengthOf(text) + 1 : text.split(part).length - 1

const splitSpaceFromStart = (text: string, limit: number): string[] => {
  const parts: string[] = []
  let rest = stripStart(text)
  while (rest !== '' && parts.length < limit) {
    const word = splitSpace(rest)[0]!
    parts.push(word)
    rest = stripStart(rest.slice(word.length))
  }
  return rest === '' ? parts : [...parts, rest]
}

const splitSpaceFromEnd = (text: string, limit: number): string[] => {
  const parts: string[] = []
  let rest = stripEnd(text)
  while (rest !== '' && parts.length < limit) {
    const word = splitSpace(rest).at(-1)!
    parts.unshift(word)
    rest = stripEnd(rest.slice(0, rest.length - word.length))
  }
  return rest === '' ? parts : [rest, ...parts]
}

const joinRest = (
  parts: readonly string[],
  separator: string,
  limit: number,
  isFromEnd: boolean,
): string[] => {
  if (limit >= parts.length - 1) return [...parts]
  const cut = parts.length - limit
  return isFromEnd
    ? [parts.slice(0, cut).join(separator), ...parts.slice(cut)]
    : [...parts.slice(0, limit), parts.slice(limit).join(separator)]
}

/** `separator` is undefined for white space; a negative limit means none. */
export const splitText = (
  text: string,
  separator: string | undefined,
  limit: number,
  isFromEnd = false,
): string[] => {
  spendText(text.length)
  if (separator === '') throw valueError('empty separator')
  if (separator === undefined && limit < 0) return splitSpace(text)
  // Each step scans the rest of the text.
  if (separator === undefined) spendItems(Math.min(limit, text.length) * (1 + (text.length >> 5)))
  if (separator === undefined)
    return isFromEnd ? splitSpaceFromEnd(text, limit) : splitSpaceFromStart(text, limit)
  const parts = text.split(separator)
  spendItems(parts.length)
  return limit < 0 ? parts : joinRest(parts, separator, limit, isFromEnd)
}
