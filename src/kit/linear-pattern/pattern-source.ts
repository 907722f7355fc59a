/** The text of a pattern as its reader walks through it, and what can be wrong with it. */

/** In the words of Go's parser, which name the offending part between back quotes. */
export class PatternError extends Error {
  constructor(problem: string, part: string) {
    super(`error parsing regexp: ${problem}: \`${part}\``)
  }
}

export interface PatternSource {
  /** Where the reader is, in characters. */
  at: number
  readonly length: number
  /** The character here; an empty text at the end. */
  peek(): string
  /** Takes the character here. */
  next(): string
  /** Takes this text if it stands here. */
  take(text: string): boolean
  /** The part between two places; up to the reader's place, or the end, where there is no second. */
  slice(from: number, to?: number): string
}

export const createPatternSource = (pattern: string): PatternSource => {
  const characters = [...pattern]
  const source: PatternSource = {
    at: 0,
    length: characters.length,
    peek: () => characters[source.at] ?? '',
    next: () => characters[source.at++] ?? '',
    take(text) {
      const wanted = [...text]
      if (!wanted.every((character, index) => characters[source.at + index] === character)) return false
      source.at += wanted.length
      return true
    },
    slice: (from, to = source.at) => characters.slice(from, to).join(''),
  }
  return source
}
