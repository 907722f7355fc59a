/** Patterns of Redis: `user:*`, `h?llo`, `h[ae]llo`, `h[^a-c]llo`. In time that grows with the text alone, whatever the pattern. */

type Part = '*' | ((letter: string) => boolean)

/** What stands in brackets, from the place behind the opening one; and where it ends. */
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
  const part = (letter: string): boolean =>
    ranges.some(([first, last]) => letter >= first && letter <= last) !== isNegated
  return { part, next: at + 1 }
}

const toParts = (glob: string): Part[] => {
  const parts: Part[] = []
  for (let at = 0; at < glob.length; ) {
    const letter = glob[at]!
    if (letter === '[') {
      const { part, next } = readClass(glob, at + 1)
      parts.push(part)
      at = next
      continue
    }
    const isEscaped = letter === '\\' && at + 1 < glob.length
    const wanted = isEscaped ? glob[at + 1]! : letter
    if (letter === '*') parts.push('*')
    else if (letter === '?') parts.push(() => true)
    else parts.push((other) => other === wanted)
    at += isEscaped ? 2 : 1
  }
  return parts
}

/** Whether a text is one of those that the pattern means. */
export const createMatcher = (glob: string): ((text: string) => boolean) => {
  const parts = toParts(glob)
  return (text) => {
    let place = 0
    // The last star, and how much of the text it has taken so far.
    let star = -1
    let taken = 0
    for (let at = 0; at < text.length; ) {
      const part = parts[place]
      if (part === '*') {
        star = place
        taken = at
        place += 1
      } else if (part?.(text[at]!)) {
        place += 1
        at += 1
      } else if (star >= 0) {
        taken += 1
        at = taken
        place = star + 1
      } else return false
    }
    return parts.slice(place).every((part) => part === '*')
  }
}
