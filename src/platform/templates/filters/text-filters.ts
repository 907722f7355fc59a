/** Jinja's filters for strings. */
import type { Plugin } from '../compile/plugins.ts'
import { center } from '../methods/string-methods.ts'
import { lengthOf, sliceText, splitLines, strip } from '../python/characters.ts'
import { Dict, dictEntries, isDict } from '../python/dict.ts'
import { formatPercent } from '../python/format-percent.ts'
import { isIterable, iterate, pythonLength } from '../python/iterate.ts'
import { capitalize } from '../python/letter-case.ts'
import { PythonError, typeError } from '../python/python-error.ts'
import { replaceText } from '../python/replace-text.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { checkDefined } from '../python/undefined.ts'
import { charactersOf, isString, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { growText, spendText } from '../work.ts'
import { attributeGetter } from './attribute-getter.ts'
import { countArgument, filter, softText, textArgument } from './define-filter.ts'

const title = (text: string): string =>
  text
    .split(/([-\s({[<]+)/)
    .map((part) => {
      const first = sliceText(part, 0, 1)
      return first.toUpperCase() + part.slice(first.length).toLowerCase()
    })
    .join('')

const join = (values: unknown, separator: unknown, attribute: unknown): string => {
  checkDefined(values)
  const getter = attributeGetter(attribute)
  const mark = toText(separator)
  let size = 0
  const texts = iterate(values).map((item) => {
    const text = toText(getter(item))
    size += text.length + mark.length
    growText(size)
    return text
  })
  return texts.join(mark)
}

const indent = (value: unknown, width: unknown, first: unknown, blank: unknown): string => {
  checkDefined(value)
  if (!isString(value)) throw typeError(`unsupported operand type(s) for +=: '${typeName(value)}' and 'str'`)
  const prefix = isString(width) ? charactersOf(width) : ' '.repeat(Math.max(0, countArgument(width)))
  const [head = '', ...rest] = splitLines(`${charactersOf(value)}\n`)
  spendText(head.length + rest.length * (prefix.length + 1))
  const lines = rest.map((line) => (line === '' && !isTruthy(blank) ? line : prefix + line))
  const text = [head, ...lines].join('\n')
  return isTruthy(first) ? prefix + text : text
}

/** Only strings and short lists can be truncated. */
const truncateOther = (value: unknown): never => {
  pythonLength(value)
  throw new UnsupportedTemplate(`truncate of a value of the type ${typeName(value)}`)
}

const truncate = (
  value: unknown,
  length: unknown,
  killsWords: unknown,
  end: unknown,
  leeway: unknown,
): string => {
  const mark = textArgument(end, 'the end of truncate')
  const [limit, tolerance] = [countArgument(length), leeway === null ? 5 : countArgument(leeway)]
  if (limit < lengthOf(mark))
    throw new PythonError('AssertionError', `expected length >= ${lengthOf(mark)}, got ${limit}`)
  if (tolerance < 0) throw new PythonError('AssertionError', `expected leeway >= 0, got ${tolerance}`)
  if (!isString(value)) return truncateOther(value)
  const text = charactersOf(value)
  if (lengthOf(text) <= limit + tolerance) return text
  const cut = sliceText(text, 0, limit - lengthOf(mark))
  if (isTruthy(killsWords)) return cut + mark
  const space = cut.lastIndexOf(' ')
  return (space < 0 ? cut : cut.slice(0, space)) + mark
}

const urlQuote = (value: unknown, isQuery: boolean): string => {
  const encoded = encodeURIComponent(toText(value)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return isQuery ? encoded.replaceAll('%20', '+') : encoded.replaceAll('%2F', '/')
}

const urlEncode = (value: unknown): string => {
  checkDefined(value)
  if (isString(value) || !isIterable(value)) return urlQuote(value, false)
  const pairs = isDict(value) ? dictEntries(value) : iterate(value).map((pair) => iterate(pair))
  return pairs
    .map((pair) => {
      if (pair.length !== 2) throw new PythonError('ValueError', 'not enough values to unpack (expected 2)')
      return `${urlQuote(pair[0], true)}=${urlQuote(pair[1], true)}`
    })
    .join('&')
}

const format: Plugin = (_, value, args, keywords) => {
  if (args.length > 0 && keywords.size > 0)
    throw new PythonError(
      'FilterArgumentError',
      "can't handle positional and keyword arguments at the same time",
    )
  return formatPercent(softText(value), keywords.size > 0 ? Dict.of(keywords) : new Tuple(args))
}

export const TEXT_FILTERS: Readonly<Record<string, Plugin>> = {
  capitalize: filter('do_capitalize()', (value) => capitalize(softText(value))),
  center: filter('do_center(width=80)', (value, width) => center(softText(value), countArgument(width))),
  format,
  indent: filter('do_indent(width=4, first=False, blank=False)', indent),
  join: filter("do_join(d='', attribute=None)", join),
  lower: filter('do_lower()', (value) => softText(value).toLowerCase()),
  replace: filter('do_replace(old, new, count=None)', (value, old, replacement, count) =>
    replaceText(toText(value), toText(old), toText(replacement), count === null ? -1 : countArgument(count)),
  ),
  // The result is marked as NativeJinjaText by its caller.
  string: filter('soft_str()', toText),
  title: filter('do_title()', (value) => title(softText(value))),
  trim: filter('do_trim(chars=None)', (value, characters) =>
    strip(
      softText(value),
      characters === null ? undefined : textArgument(characters, 'the characters of trim'),
    ),
  ),
  truncate: filter("do_truncate(length=255, killwords=False, end='...', leeway=None)", truncate),
  upper: filter('do_upper()', (value) => softText(value).toUpperCase()),
  urlencode: filter('do_urlencode()', urlEncode),
  wordcount: filter('do_wordcount()', (value) => softText(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
}
