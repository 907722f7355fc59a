/** The patterns of names that a DNSChaos gives: `?` stands for one character, `*` at the end for any rest. */

const matches = (pattern: string, name: string): boolean => {
  const open = pattern.endsWith('*')
  const fixed = open ? pattern.slice(0, -1) : pattern
  if (open ? name.length < fixed.length : name.length !== fixed.length) return false
  for (let index = 0; index < fixed.length; index += 1)
    if (fixed[index] !== '?' && fixed[index] !== name[index]) return false
  return true
}

/** Whether a name, in small letters and without its last dot, fits one of them; none fit every name. */
export const createNameMatcher = (patterns: readonly string[]): ((name: string) => boolean) => {
  const wanted = patterns.map((pattern) => pattern.toLowerCase().replace(/\.$/, ''))
  return (name) => wanted.length === 0 || wanted.some((pattern) => matches(pattern, name))
}
