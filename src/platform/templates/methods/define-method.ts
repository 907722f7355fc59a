/** Declares a method of a type of values. */
import { bindArguments, parseSignature, rejectKeywords } from '../python/arguments.ts'
import { type Keywords, NO_KEYWORDS } from '../python/value.ts'

export interface Method<T> {
  call(owner: T, args: readonly unknown[], keywords: Keywords): unknown
}

/** A method without keyword arguments, like most methods of built-in types: `count(part)`. */
export const method = <T>(signature: string, run: (owner: T, ...args: any[]) => unknown): Method<T> => {
  const parsed = parseSignature(signature)
  return {
    call(owner, args, keywords) {
      rejectKeywords(parsed.name, keywords)
      return run(owner, ...bindArguments(parsed, args, NO_KEYWORDS))
    },
  }
}

/** A method that accepts keyword arguments: `split(sep=None, maxsplit=-1)`. */
export const keywordMethod = <T>(
  signature: string,
  run: (owner: T, ...args: any[]) => unknown,
): Method<T> => {
  const parsed = parseSignature(signature)
  return { call: (owner, args, keywords) => run(owner, ...bindArguments(parsed, args, keywords)) }
}
