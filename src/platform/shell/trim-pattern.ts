/** Removes the start or the end of a value, as `${name#pattern}` and `${name%pattern}` do. */
import { compilePattern, type PatternPiece } from './match-pattern.ts'

/** Removes the shortest or longest part at one end that the pattern matches. */
export const trimPattern = (value: string, operator: string, pieces: readonly PatternPiece[]): string => {
  const matches = compilePattern(pieces)
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length)
  if (operator.length === 2) lengths.reverse()
  for (const length of lengths) {
    if (operator.startsWith('#') && matches(value.slice(0, length))) return value.slice(length)
    if (operator.startsWith('%') && matches(value.slice(value.length - length)))
      return value.slice(0, value.length - length)
  }
  return value
}
