/** Patterns of paths as Chaos Mesh reads them: `/data/**` + `/*.log`, where `*` runs over slashes too. */

const literally = (letter: string): string => letter.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** `[abc]`, `[a-z]`, `[!a]` at the start of `text`, as an expression and its length; nothing where it never ends. */
const classAt = (text: string): { source: string; length: number } | undefined => {
  const negated = text[1] === '!'
  const start = negated ? 2 : 1
  const end = text.indexOf(']', start + 1)
  if (end === -1) return undefined
  const inside = text.slice(start, end).replace(/[\\\]^[]/g, '\\$&')
  return { source: `[${negated ? '^' : ''}${inside}]`, length: end + 1 }
}

const tokenAt = (text: string, atStart: boolean): { source: string; length: number } => {
  if (atStart && text.startsWith('**/')) return { source: '(?:.*/)?', length: 3 }
  if (text[0] === '*') return { source: '.*', length: /^\*+/.exec(text)![0].length }
  if (text[0] === '?') return { source: '.', length: 1 }
  const group = text[0] === '[' ? classAt(text) : undefined
  return group ?? { source: literally(text[0]!), length: 1 }
}

const toExpression = (pattern: string, source: string): RegExp => {
  try {
    return new RegExp(`^${source}$`, 'su')
  } catch (error) {
    throw new Error(`${pattern} is no pattern of paths`, { cause: error })
  }
}

/** Answers whether a whole path matches. Throws for a range that runs backwards, as in `[z-a]`. */
export const parseGlob = (pattern: string): ((path: string) => boolean) => {
  let source = ''
  for (let at = 0; at < pattern.length; ) {
    const token = tokenAt(pattern.slice(at), at === 0 || pattern[at - 1] === '/')
    source += token.source
    at += token.length
  }
  const expression = toExpression(pattern, source)
  return (path) => expression.test(path)
}
