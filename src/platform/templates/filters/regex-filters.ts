/** Ansible's filters with regular expressions. */
import type { Plugin } from '../compile/plugins.ts'
import { filterError, PythonError, typeError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { checkDefined } from '../python/undefined.ts'
import { isString, plainCharactersOf, Tuple } from '../python/value.ts'
import { expandReplacement, parseReplacement } from '../regex/expand-replacement.ts'
import { findAllMatches, groupsOf, type Match, searchPattern } from '../regex/python-pattern.ts'
import type { PatternFlags } from '../regex/translate-pattern.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { growText, spendText } from '../work.ts'
import { filter, softText } from './define-filter.ts'

export const patternOf = (value: unknown): string => {
  checkDefined(value)
  if (isString(value)) return plainCharactersOf(value)
  throw typeError('first argument must be string or compiled pattern')
}

export const flagsOf = (ignoreCase: unknown, multiline: unknown): PatternFlags => ({
  ignoreCase: isTruthy(ignoreCase),
  multiline: isTruthy(multiline),
})

const regexReplace = (
  value: unknown,
  pattern: unknown,
  replacement: unknown,
  ignoreCase: unknown,
  multiline: unknown,
): string => {
  const [text, source, flags] = [toText(value), patternOf(pattern), flagsOf(ignoreCase, multiline)]
  checkDefined(replacement)
  if (!isString(replacement)) throw new UnsupportedTemplate('a replacement that is not a string')
  const { count, names } = groupsOf(source, flags, text)
  const pieces = parseReplacement(plainCharactersOf(replacement), count, names)
  let result = ''
  let copied = 0
  for (const match of findAllMatches(source, flags, text)) {
    result += text.slice(copied, match.start) + expandReplacement(pieces, match)
    copied = match.end
    growText(result.length)
  }
  return result + text.slice(copied)
}

const regexFindAll = (value: unknown, pattern: unknown, multiline: unknown, ignoreCase: unknown): unknown => {
  const matches = findAllMatches(patternOf(pattern), flagsOf(ignoreCase, multiline), toText(value))
  return matches.map(({ groups }) => {
    if (groups.length === 1) return groups[0]
    const texts = groups.slice(1).map((group) => group ?? '')
    return texts.length === 1 ? texts[0] : new Tuple(texts)
  })
}

/** The group that an argument such as `\1` or `\g<name>` selects. */
const groupOf = (argument: unknown): string => {
  checkDefined(argument)
  if (!isString(argument)) throw new UnsupportedTemplate('a group that is not a string')
  const text = plainCharactersOf(argument)
  const match = /^\\g<(\S+)>/.exec(text) ?? /^\\(\d+)/.exec(text)
  if (match !== null) return text.startsWith('\\g') ? match[1]! : String(Number(match[1]))
  if (!text.startsWith('\\')) throw filterError('Unknown argument')
  throw new PythonError('AttributeError', "'NoneType' object has no attribute 'group'")
}

const groupText = (match: Match, group: string): string | null => {
  const index = /^\d+$/.test(group) ? Number(group) : match.names.get(group)
  // A number in \g<1> is a name for Python.
  if (index === undefined || index >= match.groups.length)
    throw new PythonError('IndexError', 'no such group')
  return match.groups[index] ?? null
}

const regexSearch: Plugin = (_, value, args, keywords) => {
  const text = toText(value)
  const [pattern, ...wanted] = args.length > 0 ? args : [keywords.get('regex')]
  if (pattern === undefined) throw typeError("regex_search() missing 1 required positional argument: 'regex'")
  if (args.some((argument) => isString(argument) && /^\\g<\d+>/.test(plainCharactersOf(argument))))
    throw new UnsupportedTemplate('numbers in \\g<> of regex_search')
  const groups = wanted.map(groupOf)
  const flags = flagsOf(keywords.get('ignorecase') ?? false, keywords.get('multiline') ?? false)
  const match = searchPattern(patternOf(pattern), flags, text)
  if (match === undefined) return null
  return groups.length === 0 ? match.groups[0] : groups.map((group) => groupText(match, group))
}

const regexEscape = (value: unknown, type: unknown): string => {
  const [text, name] = [softText(value), toText(type)]
  spendText(text.length * 2)
  if (name === 'python') return text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, '\\$&')
  if (name === 'posix_basic') return text.replace(/[\].[^$*\\]/g, '\\$&')
  if (name === 'posix_extended') throw filterError(`Regex type (${name}) not yet implemented`)
  throw filterError(`Invalid regex type (${name})`)
}

export const REGEX_FILTERS: Readonly<Record<string, Plugin>> = {
  regex_escape: filter("regex_escape(re_type='python')", regexEscape),
  regex_findall: filter('regex_findall(regex, multiline=False, ignorecase=False)', regexFindAll),
  regex_replace: filter(
    "regex_replace(pattern='', replacement='', ignorecase=False, multiline=False)",
    regexReplace,
  ),
  regex_search: regexSearch,
}
