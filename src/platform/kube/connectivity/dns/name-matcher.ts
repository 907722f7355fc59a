/** The name patterns of a DNSChaos: `?` matches one character, and a trailing `*` matches any ending. */

const matches = (pattern: string, name: string): boolean => {
  const hasWildcard = pattern.endsWith('*')
  const fixed = hasWildcard ? pattern.slice(0, -1) : pattern
  if (hasWildcard ? name.length < fixed.length : name.length !== fixed.length) return false
  for (let index = 0; index < fixed.length; index += 1)
    if (fixed[index] !== '?' && fixed[index] !== name[index]) return false
  return true
}

/** Matches lowercase names without a trailing dot; an empty list matches every name. */
export const createNameMatcher = (patterns: readonly string[]): ((name: string) => boolean) => {
  const normalized = patterns.map((pattern) => pattern.toLowerCase().replace(/\.$/, ''))
  return (name) => normalized.length === 0 || normalized.some((pattern) => matches(pattern, name))
}
