/** The methods of `str`. */
import { isAscii, isSpace, lengthOf, splitLines, strip, stripEnd, stripStart } from '../python/characters.ts'
import { formatMethod } from '../python/format-method.ts'
import { isIterable, iterate } from '../python/iterate.ts'
import { capitalize, consistsOf, isLower, isUpper, swapCase, titleCase } from '../python/letter-case.ts'
import { padText } from '../python/pad-number.ts'
import { typeError, valueError } from '../python/python-error.ts'
import { countText, replaceText, splitText } from '../python/replace-text.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { checkDefined } from '../python/undefined.ts'
import { charactersOf, indexOf, isString, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendText } from '../work.ts'
import { keywordMethod, type Method, method } from './define-method.ts'

const textOf = (value: unknown): string => {
  if (isString(value)) return charactersOf(value)
  throw typeError(`must be str, not ${typeName(value)}`)
}

/** An optional string; None selects the default. */
const optionalText = (value: unknown): string | undefined => (value === null ? undefined : textOf(value))

const countOf = (value: unknown): number => {
  const count = indexOf(value)
  if (count === undefined) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
  return count
}

const affixes = (name: string, value: unknown): string[] => {
  if (isString(value)) return [charactersOf(value)]
  if (value instanceof Tuple) return value.items.map(textOf)
  throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(value)}`)
}

const checkWhole = (start: unknown, end: unknown): void => {
  if (start !== null || end !== null) throw new UnsupportedTemplate('the start and end of a search in text')
}

/** The position in code points; -1 if there is no occurrence. */
const find = (text: string, part: unknown, isLast: boolean): number => {
  const needle = textOf(part)
  const index = isLast ? text.lastIndexOf(needle) : text.indexOf(needle)
  return index <= 0 ? index : lengthOf(text.slice(0, index))
}

const findOrFail = (text: string, part: unknown, isLast: boolean): number => {
  const index = find(text, part, isLast)
  if (index < 0) throw valueError('substring not found')
  return index
}

const partition = (text: string, separator: unknown, isLast: boolean): Tuple => {
  const mark = textOf(separator)
  if (mark === '') throw valueError('empty separator')
  const index = isLast ? text.lastIndexOf(mark) : text.indexOf(mark)
  if (index < 0) return new Tuple(isLast ? ['', '', text] : [text, '', ''])
  return new Tuple([text.slice(0, index), mark, text.slice(index + mark.length)])
}

export const joinTexts = (separator: string, values: unknown): string => {
  checkDefined(values)
  if (!isIterable(values)) throw typeError('can only join an iterable')
  const texts = iterate(values).map((item, index) => {
    if (isString(item)) return charactersOf(item)
    throw typeError(`sequence item ${index}: expected str instance, ${typeName(item)} found`)
  })
  const joined = texts.join(separator)
  spendText(joined.length)
  return joined
}

const fillOf = (value: unknown): string => {
  const fill = textOf(value)
  if (lengthOf(fill) !== 1) throw typeError('The fill character must be exactly one character long')
  return fill
}

const pad = (text: string, width: unknown, fill: unknown, align: string): string =>
  padText(text, lengthOf(text), countOf(width), fillOf(fill), align)

/** Python puts the extra space on the left if the width is odd. */
export const center = (text: string, width: number, fill = ' '): string => {
  const missing = Math.max(0, width - lengthOf(text))
  spendText(text.length + missing)
  const left = (missing >> 1) + (missing & width & 1)
  return fill.repeat(left) + text + fill.repeat(missing - left)
}

const zeroFill = (text: string, width: unknown): string => {
  const sign = /^[-+]/.exec(text)?.[0] ?? ''
  const digits = text.slice(sign.length)
  return sign + padText(digits, lengthOf(digits), countOf(width) - sign.length, '0', '>')
}

const separated = (text: string, separator: unknown, limit: unknown, isFromEnd: boolean): string[] => {
  if (separator !== null && !isString(separator))
    throw typeError(`must be str or None, not ${typeName(separator)}`)
  return splitText(text, optionalText(separator), countOf(limit), isFromEnd)
}

export const STRING_METHODS: Readonly<Record<string, Method<string>>> = {
  capitalize: method('capitalize()', capitalize),
  center: method("center(width, fill=' ')", (text, width, fill) =>
    center(text, countOf(width), fillOf(fill)),
  ),
  count: method('count(part, start=None, end=None)', (text, part, start, end) => {
    checkWhole(start, end)
    return countText(text, textOf(part))
  }),
  endswith: method('endswith(suffix, start=None, end=None)', (text, suffix, start, end) => {
    checkWhole(start, end)
    return affixes('endswith', suffix).some((part) => text.endsWith(part))
  }),
  find: method('find(part, start=None, end=None)', (text, part, start, end) => {
    checkWhole(start, end)
    return find(text, part, false)
  }),
  format: { call: formatMethod },
  index: method('index(part, start=None, end=None)', (text, part, start, end) => {
    checkWhole(start, end)
    return findOrFail(text, part, false)
  }),
  isalnum: method('isalnum()', (text) => consistsOf(text, /^[A-Za-z0-9]+$/, 'isalnum()')),
  isalpha: method('isalpha()', (text) => consistsOf(text, /^[A-Za-z]+$/, 'isalpha()')),
  isascii: method('isascii()', isAscii),
  isdecimal: method('isdecimal()', (text) => consistsOf(text, /^\d+$/, 'isdecimal()')),
  isdigit: method('isdigit()', (text) => consistsOf(text, /^\d+$/, 'isdigit()')),
  islower: method('islower()', isLower),
  isnumeric: method('isnumeric()', (text) => consistsOf(text, /^\d+$/, 'isnumeric()')),
  isspace: method('isspace()', isSpace),
  isupper: method('isupper()', isUpper),
  join: method('join(iterable)', joinTexts),
  ljust: method("ljust(width, fill=' ')", (text, width, fill) => pad(text, width, fill, '<')),
  lower: method('lower()', (text) => text.toLowerCase()),
  lstrip: method('lstrip(chars=None)', (text, characters) => stripStart(text, optionalText(characters))),
  partition: method('partition(sep)', (text, separator) => partition(text, separator, false)),
  removeprefix: method('removeprefix(prefix)', (text, prefix) =>
    text.startsWith(textOf(prefix)) ? text.slice(textOf(prefix).length) : text,
  ),
  removesuffix: method('removesuffix(suffix)', (text, suffix) =>
    textOf(suffix) !== '' && text.endsWith(textOf(suffix))
      ? text.slice(0, text.length - textOf(suffix).length)
      : text,
  ),
  replace: method('replace(old, new, count=-1)', (text, old, replacement, count) =>
    replaceText(text, textOf(old), textOf(replacement), countOf(count)),
  ),
  rfind: method('rfind(part, start=None, end=None)', (text, part, start, end) => {
    checkWhole(start, end)
    return find(text, part, true)
  }),
  rindex: method('rindex(part, start=None, end=None)', (text, part, start, end) => {
    checkWhole(start, end)
    return findOrFail(text, part, true)
  }),
  rjust: method("rjust(width, fill=' ')", (text, width, fill) => pad(text, width, fill, '>')),
  rpartition: method('rpartition(sep)', (text, separator) => partition(text, separator, true)),
  rsplit: keywordMethod('rsplit(sep=None, maxsplit=-1)', (text, separator, limit) =>
    separated(text, separator, limit, true),
  ),
  rstrip: method('rstrip(chars=None)', (text, characters) => stripEnd(text, optionalText(characters))),
  split: keywordMethod('split(sep=None, maxsplit=-1)', (text, separator, limit) =>
    separated(text, separator, limit, false),
  ),
  splitlines: keywordMethod('splitlines(keepends=False)', (text, keepsEnds) =>
    splitLines(text, isTruthy(keepsEnds)),
  ),
  startswith: method('startswith(prefix, start=None, end=None)', (text, prefix, start, end) => {
    checkWhole(start, end)
    return affixes('startswith', prefix).some((part) => text.startsWith(part))
  }),
  strip: method('strip(chars=None)', (text, characters) => strip(text, optionalText(characters))),
  swapcase: method('swapcase()', swapCase),
  title: method('title()', titleCase),
  upper: method('upper()', (text) => text.toUpperCase()),
  zfill: method('zfill(width)', zeroFill),
}
