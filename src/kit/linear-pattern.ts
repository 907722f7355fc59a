/** Regular expressions in Go's notation, matched in time that grows with the text alone: no pattern can hang us. */
import { createRequire } from 'node:module'
import { lazily } from './lazily.ts'

export interface LinearPattern {
  test(text: string): boolean
  /** The first match at or after `from`: where it begins and ends. */
  find(text: string, from?: number): readonly [start: number, end: number] | undefined
}

/** What is wrong with a pattern, in Go's words. */
export class PatternError extends Error {}

const library = lazily(() => createRequire(import.meta.url)('re2js') as typeof import('re2js'))

/** Throws PatternError where Go would refuse the pattern. */
export const linearPattern = (source: string): LinearPattern => {
  const { RE2JS, RE2JSException } = library()
  try {
    const compiled = RE2JS.compile(source)
    return {
      test: (text) => compiled.matcher(text).find(),
      find(text, from = 0) {
        const matcher = compiled.matcher(text)
        return matcher.find(from) ? [matcher.start(), matcher.end()] : undefined
      },
    }
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(error.message)
    throw error
  }
}
