/** Implements `re.search`, `re.match`, `re.findall` and `re.sub` in linear time. */
import { type LinearPattern, linearPattern, PatternError } from '#kit'
import { isAscii } from '../python/characters.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spend, spendItems, spendText } from '../work.ts'
import { type PatternFlags, type TranslatedPattern, translatePattern } from './translate-pattern.ts'

interface Compiled {
  readonly translated: TranslatedPattern
  readonly pattern: LinearPattern
}

/** A match: its text, the texts of its groups, and its position. */
export interface Match {
  readonly start: number
  readonly end: number
  /** Undefined for a group that did not participate. */
  readonly groups: readonly (string | undefined)[]
  readonly names: ReadonlyMap<string, number>
}

const MAX_CACHED = 500
const cache = new Map<string, Compiled>()

const compile = (source: string, flags: PatternFlags, text: string, isAnchored: boolean): Compiled => {
  const isAsciiText = isAscii(text)
  const key = `${Number(flags.ignoreCase)}${Number(flags.multiline)}${Number(isAsciiText)}${Number(isAnchored)}${source}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const translated = translatePattern(source, flags, isAsciiText)
  try {
    const pattern = linearPattern(isAnchored ? `\\A(?:${translated.source})` : translated.source)
    if (cache.size >= MAX_CACHED) cache.clear()
    const compiled = { translated, pattern }
    cache.set(key, compiled)
    return compiled
  } catch (error) {
    if (error instanceof PatternError) throw new UnsupportedTemplate(`the regular expression ${source}`)
    throw error
  }
}

const compileFor = (source: string, flags: PatternFlags, text: string, isAnchored = false): Compiled => {
  spendText(text.length)
  const compiled = compile(source, flags, text, isAnchored)
  if (compiled.translated.hasDollar && text.endsWith('\n'))
    throw new UnsupportedTemplate('$ in a regular expression, for text that ends with a line break')
  return compiled
}

const findMatch = ({ pattern, translated }: Compiled, text: string, from: number): Match | undefined => {
  spend(1)
  const spans = pattern.findGroups(text, from)
  if (spans === undefined) return undefined
  const [start, end] = spans[0]!
  return {
    start,
    end,
    groups: spans.map((span) => (span === undefined ? undefined : text.slice(span[0], span[1]))),
    names: translated.groupNames,
  }
}

export const searchPattern = (source: string, flags: PatternFlags, text: string): Match | undefined =>
  findMatch(compileFor(source, flags, text), text, 0)

export const matchesPattern = (
  source: string,
  flags: PatternFlags,
  text: string,
  type: 'search' | 'match' | 'fullmatch',
): boolean => {
  if (type !== 'fullmatch') return compileFor(source, flags, text, type === 'match').pattern.test(text)
  compileFor(source, flags, text)
  return compileFor(`(?:${source})\\Z`, flags, text, true).pattern.test(text)
}

const characterLength = (text: string, index: number): number =>
  (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1

/** All matches, as `re.finditer` finds them: an empty match may follow another match directly, but not an empty one. */
export const findAllMatches = (source: string, flags: PatternFlags, text: string): Match[] => {
  const compiled = compileFor(source, flags, text)
  const matches: Match[] = []
  let position = 0
  let emptyAt = -1
  while (position <= text.length) {
    const match = findMatch(compiled, text, position)
    if (match === undefined) break
    const isEmpty = match.start === match.end
    // After an empty match, Python searches for a longer one at the same position. A greedy pattern has none there.
    if (isEmpty && compiled.translated.prefersEmpty)
      throw new UnsupportedTemplate('all matches of a regular expression that prefers an empty match')
    if (isEmpty && match.start === emptyAt) {
      position = match.start + characterLength(text, match.start)
      emptyAt = -1
      continue
    }
    matches.push(match)
    spendItems(1 + match.groups.length)
    position = match.end
    emptyAt = isEmpty ? match.end : -1
  }
  return matches
}

/** The groups of a pattern. Throws PythonError (re.error) for invalid patterns. */
export const groupsOf = (
  source: string,
  flags: PatternFlags,
  text: string,
): { count: number; names: ReadonlyMap<string, number> } => {
  const { groupCount, groupNames } = compileFor(source, flags, text).translated
  return { count: groupCount, names: groupNames }
}
