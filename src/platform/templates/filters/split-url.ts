/** Splits URLs as `urllib.parse.urlsplit` does, with all components in one dictionary. */
import { isAscii } from '../python/characters.ts'
import { Dict } from '../python/dict.ts'
import { valueError } from '../python/python-error.ts'
import { reprText } from '../python/repr.ts'
import { UnsupportedTemplate } from '../template-error.ts'

const before = (text: string, mark: string): [string, string | undefined] => {
  const index = text.indexOf(mark)
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + mark.length)]
}

const portOf = (text: string | undefined): number | null => {
  if (text === undefined || text === '') return null
  if (!/^\d+$/.test(text)) throw valueError(`Port could not be cast to integer value as ${reprText(text)}`)
  if (Number(text) > 65535) throw valueError('Port out of range 0-65535')
  return Number(text)
}

const hostAndPort = (place: string): [host: string, port: string | undefined] => {
  const [, bracketed] = before(place, '[')
  if (bracketed === undefined) return before(place, ':')
  const [host, rest] = before(bracketed, ']')
  return [host, before(rest ?? '', ':')[1]]
}

const authority = (netloc: string) => {
  const at = netloc.lastIndexOf('@')
  const [username, password] = at < 0 ? [null, null] : before(netloc.slice(0, at), ':')
  const [host, port] = hostAndPort(netloc.slice(at + 1))
  const [name, zone] = before(host, '%')
  const hostname = name.toLowerCase() + (zone === undefined ? '' : `%${zone}`)
  return {
    hostname: hostname === '' ? null : hostname,
    username,
    password: password ?? null,
    port: portOf(port),
  }
}

const splitScheme = (url: string): [scheme: string, rest: string] => {
  const match = /^([A-Za-z0-9+.-]+):([\s\S]*)$/.exec(url)
  if (match === null) return ['', url]
  if (!/^[A-Za-z]/.test(url)) throw new UnsupportedTemplate('a URL whose scheme does not begin with a letter')
  return [match[1]!.toLowerCase(), match[2]!]
}

export const splitUrl = (text: string): Dict => {
  if (!isAscii(text)) throw new UnsupportedTemplate('urlsplit of non-ASCII text')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Python strips them
  if (/^[\x00-\x20]/.test(text))
    throw new UnsupportedTemplate('urlsplit of text that begins with white space')
  const [scheme, afterScheme] = splitScheme(text.replace(/[\t\r\n]/g, ''))
  const hasNetloc = afterScheme.startsWith('//')
  const netloc = hasNetloc ? /^[^/?#]*/.exec(afterScheme.slice(2))![0] : ''
  if (netloc.includes('[') !== netloc.includes(']')) throw valueError('Invalid IPv6 URL')
  const rest = hasNetloc ? afterScheme.slice(2 + netloc.length) : afterScheme
  const [beforeFragment, fragment = ''] = before(rest, '#')
  const [path, query = ''] = before(beforeFragment, '?')
  const { hostname, username, password, port } = authority(netloc)
  return Dict.of(
    Object.entries({ fragment, hostname, netloc, password, path, port, query, scheme, username }),
  )
}
