/** Parses the path patterns of Chaos Mesh, such as `/data/*.log`, in which `*` also matches slashes. */

const escapeCharacter = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Parses `[abc]`, `[a-z]` or `[!a]` at the start of `text`; returns undefined if the bracket is not closed. */
const parseClass = (text: string): { source: string; length: number } | undefined => {
  const negated = text[1] === '!'
  const start = negated ? 2 : 1
  const end = text.indexOf(']', start + 1)
  if (end === -1) return undefined
  const inside = text.slice(start, end).replace(/[\\\]^[]/g, '\\$&')
  return { source: `[${negated ? '^' : ''}${inside}]`, length: end + 1 }
}

const parseToken = (text: string, atStart: boolean): { source: string; length: number } => {
  if (atStart && text.startsWith('**/')) return { source: '(?:.*/)?', length: 3 }
  if (text[0] === '*') return { source: '.*', length: /^\*+/.exec(text)![0].length }
  if (text[0] === '?') return { source: '.', length: 1 }
  const group = text[0] === '[' ? parseClass(text) : undefined
  return group ?? { source: escapeCharacter(text[0]!), length: 1 }
}

const toExpression = (pattern: string, source: string): RegExp => {
  try {
    return new RegExp(`^${source}$`, 'su')
  } catch (error) {
    throw new Error(`${pattern} is not a valid path pattern`, { cause: error })
  }
}

/** The returned function matches whole paths. Throws for a reversed range such as `[z-a]`. */
export const parseGlob = (pattern: string): ((path: string) => boolean) => {
  let source = ''
  for (let index = 0; index < pattern.length; ) {
    const token = parseToken(pattern.slice(index), index === 0 || pattern[index - 1] === '/')
    source += token.source
    index += token.length
  }
  const expression = toExpression(pattern, source)
  return (path) => expression.test(path)
}
