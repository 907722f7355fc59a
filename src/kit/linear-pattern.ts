/** Regular expressions in Go's syntax, matched in time linear in the text, so that no pattern can block the process. */
import { createRequire } from 'node:module'
import { lazily } from './lazily.ts'

export interface LinearPattern {
  test(text: string): boolean
  /** Returns the start and end of the first match at or after `from`. */
  find(text: string, from?: number): readonly [start: number, end: number] | undefined
  /** Like `find`, for the match and its groups. A group that took no part is undefined. */
  findGroups(
    text: string,
    from?: number,
  ): readonly (readonly [start: number, end: number] | undefined)[] | undefined
}

/** An invalid pattern; the message is Go's. */
export class PatternError extends Error {}

const library = lazily(() => createRequire(import.meta.url)('re2js') as typeof import('re2js'))

/** Throws PatternError if Go would reject the pattern. */
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
      findGroups(text, from = 0) {
        const matcher = compiled.matcher(text)
        if (!matcher.find(from)) return undefined
        return Array.from({ length: compiled.groupCount() + 1 }, (_, group) => {
          const start = matcher.start(group)
          return start < 0 ? undefined : ([start, matcher.end(group)] as const)
        })
      },
    }
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(error.message)
    throw error
  }
}
