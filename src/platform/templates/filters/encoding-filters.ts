/** Ansible's filters that encode, hash and quote strings, and split paths and URLs. */
import { createHash } from 'node:crypto'
import { quoteShellWord } from '#kit'
import type { Plugin } from '../compile/plugins.ts'
import { filterError, PythonError, typeError } from '../python/python-error.ts'
import { splitText } from '../python/replace-text.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { checkDefined } from '../python/undefined.ts'
import { charactersOf, isString, plainCharactersOf, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendText } from '../work.ts'
import { decodeBase64 } from './decode-base64.ts'
import { countArgument, filter, softText } from './define-filter.ts'
import { splitUrl } from './split-url.ts'

const HASHES: Readonly<Record<string, string>> = {
  md5: 'md5',
  sha1: 'sha1',
  sha224: 'sha224',
  sha256: 'sha256',
  sha384: 'sha384',
  sha512: 'sha512',
}

/** Other hashes that OpenSSL may have. */
const MORE_HASHES = /^(?:blake|sha3|shake|ripemd|sm3|md4|md5-|mdc2|whirlpool|sha512[_-])/i

const digest = (value: unknown, algorithm: string): string => {
  const text = toText(value)
  spendText(text.length * 4)
  return createHash(algorithm).update(text, 'utf8').digest('hex')
}

const hash = (value: unknown, type: unknown): string => {
  const algorithm = isString(type) ? HASHES[plainCharactersOf(type).toLowerCase()] : undefined
  if (algorithm === undefined && MORE_HASHES.test(toText(type)))
    throw new UnsupportedTemplate(`the hash ${toText(type)}`)
  if (algorithm === undefined) throw filterError(`unsupported hash type ${toText(type)}`)
  return digest(value, algorithm)
}

const NAMESPACE = '361E6D51-FAEC-444A-9079-341386DA8E2E'

const uuid = (value: unknown, namespace: unknown): string => {
  const space = namespace === null ? NAMESPACE : toText(namespace)
  const hex = space.replace(/^urn:|uuid:|[{}]|-/g, '')
  if (!/^[0-9a-fA-F]{32}$/.test(hex)) throw new UnsupportedTemplate('this namespace of to_uuid')
  const bytes = createHash('sha1').update(Buffer.from(hex, 'hex')).update(toText(value), 'utf8').digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const text = bytes.toString('hex', 0, 16)
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const checkEncoding = (encoding: unknown): void => {
  if (!/^utf-?8$/i.test(toText(encoding))) throw new UnsupportedTemplate(`the encoding ${toText(encoding)}`)
}

const path = (value: unknown): string => {
  checkDefined(value)
  if (isString(value)) return charactersOf(value)
  throw typeError(`expected str, bytes or os.PathLike object, not ${typeName(value)}`)
}

const dirName = (text: string): string => {
  const head = text.slice(0, text.lastIndexOf('/') + 1)
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, '')
}

const splitExtension = (text: string): Tuple => {
  const name = text.slice(text.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const hasExtension = dot > 0 && !/^\.*$/.test(name.slice(0, dot))
  const end = hasExtension ? text.length - name.length + dot : text.length
  return new Tuple([text.slice(0, end), text.slice(end)])
}

const joinPaths = (value: unknown): string => {
  checkDefined(value)
  if (isString(value)) return charactersOf(value)
  const items = value instanceof Tuple ? value.items : value
  if (!Array.isArray(items))
    throw new PythonError('AnsibleFilterTypeError', '|path_join expects string or sequence')
  if (items.length === 0) throw typeError("join() missing 1 required positional argument: 'a'")
  return items.map(path).reduce((joined, part) => {
    if (part.startsWith('/')) return part
    return joined === '' || joined.endsWith('/') ? joined + part : `${joined}/${part}`
  })
}

/** `text | split(separator)` is the method with the text as its first argument. */
const split = (value: unknown, separator: unknown, limit: unknown): unknown => {
  if (!isString(value)) {
    checkDefined(value)
    throw typeError(`descriptor 'split' for 'str' objects doesn't apply to a '${typeName(value)}' object`)
  }
  if (separator !== null && !isString(separator))
    throw typeError(`must be str or None, not ${typeName(separator)}`)
  return splitText(
    charactersOf(value),
    separator === null ? undefined : charactersOf(separator),
    countArgument(limit),
  )
}

const decodeUrl = (value: unknown): string => {
  const text = path(value).replaceAll('+', ' ')
  const decoded = text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  )
  spendText(decoded.length)
  if (decoded.includes('\ufffd')) throw new UnsupportedTemplate('urldecode of bytes that are not UTF-8')
  return decoded
}

/** Falsy values are treated as empty bytes. */
const notText = (value: unknown, method: string): Error =>
  isTruthy(value)
    ? new PythonError('AttributeError', `'${typeName(value)}' object has no attribute '${method}'`)
    : new UnsupportedTemplate(`urlsplit of a value of the type ${typeName(value)}`)

const urlPart = (value: unknown, query: unknown): unknown => {
  checkDefined(value)
  if (!isString(value)) throw notText(value, 'decode')
  const parts = splitUrl(charactersOf(value))
  const name = toText(query)
  if (name === '') return parts
  if (!parts.has(name)) throw filterError(`urlsplit: unknown URL component: ${name}`)
  return parts.get(name)
}

export const ENCODING_FILTERS: Readonly<Record<string, Plugin>> = {
  b64decode: filter("b64decode(encoding='utf-8')", (value, encoding) => {
    checkEncoding(encoding)
    return decodeBase64(toText(value))
  }),
  b64encode: filter("b64encode(encoding='utf-8')", (value, encoding) => {
    checkEncoding(encoding)
    const text = toText(value)
    spendText(text.length * 2)
    return Buffer.from(text, 'utf8').toString('base64')
  }),
  basename: filter('basename()', (value) => path(value).slice(path(value).lastIndexOf('/') + 1)),
  checksum: filter('secure_hash_s()', (value) => digest(value, 'sha1')),
  dirname: filter('dirname()', (value) => dirName(path(value))),
  hash: filter("get_hash(hashtype='sha1')", hash),
  md5: filter('md5s()', (value) => digest(value, 'md5')),
  path_join: filter('path_join()', joinPaths),
  quote: filter('quote()', (value) => quoteShellWord(value === null ? '' : softText(value))),
  sha1: filter('secure_hash_s()', (value) => digest(value, 'sha1')),
  split: filter('split(sep=None, maxsplit=-1)', split),
  splitext: filter('splitext()', (value) => splitExtension(path(value))),
  to_uuid: filter('to_uuid(namespace=None)', uuid),
  urldecode: filter('unquote_plus()', decodeUrl),
  urlsplit: filter("split_url(query='')", urlPart),
}
