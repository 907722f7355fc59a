/** The string formats that schemas of custom resources may name. */
import { isIP } from 'node:net'
import { memberOf } from '#kit'

const DURATION = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h|d|w))+$|^[+-]?0$/
const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
/** A single label, or several of which the last is alphabetic. It is unambiguous and thus does not backtrack. */
const HOSTNAME =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const isUri = (text: string): boolean => text.startsWith('/') || URL.canParse(text)

const isCidr = (text: string): boolean => {
  const [address = '', bits = ''] = text.split('/')
  const family = isIP(address)
  return family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  date: (text) => DATE.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => DURATION.test(text),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  cidr: isCidr,
  hostname: (text) => text.length <= 255 && HOSTNAME.test(text),
  email: (text) => EMAIL.test(text),
  uri: isUri,
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID.exec(text)?.[1] === '3',
  uuid4: (text) => UUID.exec(text)?.[1] === '4',
  uuid5: (text) => UUID.exec(text)?.[1] === '5',
  byte: (text) => BASE64.test(text),
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
}

/** Returns true for unknown formats. */
export const meetsFormat = (text: string, format: string): boolean => memberOf(CHECKS, format)?.(text) ?? true
