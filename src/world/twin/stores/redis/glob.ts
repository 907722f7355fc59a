/**
 * Glob patterns of Redis: `user:*`, `h?llo`, `h[ae]llo`, `h[^a-c]llo`. Matching takes polynomial time for
 * every pattern.
 */

type Part = '*' | ((character: string) => boolean)

/**
 * Parses the character class whose opening bracket is before `from`. `next` is the position after its closing
 * bracket.
 */
const readClass = (glob: string, from: number): { readonly part: Part; readonly next: number } => {
  const isNegated = glob[from] === '^'
  const ranges: (readonly [string, string])[] = []
  let at = isNegated ? from + 1 : from
  for (; at < glob.length && glob[at] !== ']'; at++) {
    if (glob[at] === '\\' && at + 1 < glob.length) at += 1
    const first = glob[at]!
    if (glob[at + 1] !== '-' || at + 2 >= glob.length || glob[at + 2] === ']') {
      ranges.push([first, first])
      continue
    }
    const last = glob[at + 2]!
    ranges.push(first < last ? [first, last] : [last, first])
    at += 2
  }
  const part = (character: string): boolean =>
    ranges.some(([first, last]) => character >= first && character <= last) !== isNegated
  return { part, next: at + 1 }
}

const parseGlob = (glob: string): Part[] => {
  const parts: Part[] = []
  for (let at = 0; at < glob.length; ) {
    const character = glob[at]!
    if (character === '[') {
      const { part, next } = readClass(glob, at + 1)
      parts.push(part)
      at = next
      continue
    }
    const isEscaped = character === '\\' && at + 1 < glob.length
    const expected = isEscaped ? glob[at + 1]! : character
    if (character === '*') parts.push('*')
    else if (character === '?') parts.push(() => true)
    else parts.push((actual) => actual === expected)
    at += isEscaped ? 2 : 1
  }
  return parts
}

/** Returns a function that tests whether a string matches the pattern. */
export const createMatcher = (glob: string): ((text: string) => boolean) => {
  const parts = parseGlob(glob)
  return (text) => {
    let index = 0
    // Position of the last star in the pattern, and the end of the text it covers so far.
    let star = -1
    let covered = 0
    for (let at = 0; at < text.length; ) {
      const part = parts[index]
      if (part === '*') {
        star = index
        covered = at
        index += 1
      } else if (part?.(text[at]!)) {
        index += 1
        at += 1
      } else if (star >= 0) {
        covered += 1
        at = covered
        index = star + 1
      } else return false
    }
    return parts.slice(index).every((part) => part === '*')
  }
}
