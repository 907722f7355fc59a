/** Addresses in a configuration that lead nowhere, where it is plain what was meant. */
import { nearestName } from '../../../kit/index.ts'
import type { ServiceView } from '../observe/services.ts'

export interface WrongAddress {
  /** Where it is: `RateMongoAddress`, `user-mongodb.port`. */
  readonly path: string
  readonly is: string | number
  readonly right: string | number
}

export interface CorrectedText {
  readonly text: string
  readonly wrong: readonly WrongAddress[]
}

const ADDRESS = /^([a-z][\w.-]*):(\d+)$/
const NAME = /^[a-z][a-z0-9-]*[a-z0-9]$/

/** A name that no Service has, one or two letters or one word away from that of one. */
const meantHost = (host: string, services: readonly ServiceView[]): string | undefined => {
  const [first = ''] = host.split('.')
  const names = services.map(({ name }) => name)
  if (names.includes(first)) return undefined
  return names.find((name) => first === `${name}-svc` || `${first}-svc` === name) ?? nearestName(first, names)
}

const meantPort = (port: number, service: ServiceView | undefined): number | undefined => {
  const ports = (service?.ports ?? []).map((one) => one.port)
  if (ports.length === 0 || ports.includes(port)) return undefined
  return [...ports].sort((one, other) => Math.abs(one - port) - Math.abs(other - port))[0]
}

/** As far as a slip goes; an address that is off by more is taken to be meant. */
const FARTHEST = 10

const correctAddress = (address: string, services: readonly ServiceView[]): string | undefined => {
  const [, host = '', port = ''] = ADDRESS.exec(address) ?? []
  if (host === '') return undefined
  const meant = meantHost(host, services)
  if (meant !== undefined) return `${meant}:${port}`
  const service = services.find(({ name }) => name === host.split('.')[0])
  const right = meantPort(Number(port), service)
  return right === undefined || Math.abs(right - Number(port)) > FARTHEST ? undefined : `${host}:${right}`
}

type Fields = Readonly<Record<string, unknown>>

/** `{"addr": "user-mongodb", "port": 27018}` */
const correctPair = (fields: Fields, path: string, services: readonly ServiceView[]): WrongAddress[] => {
  const { addr, port } = fields
  if (typeof addr !== 'string' || !NAME.test(addr)) return []
  const meant = meantHost(addr, services)
  if (meant !== undefined) return [{ path: `${path}addr`, is: addr, right: meant }]
  const service = services.find(({ name }) => name === addr)
  const right = typeof port === 'number' ? meantPort(port, service) : undefined
  return right === undefined || Math.abs(right - Number(port)) > FARTHEST
    ? []
    : [{ path: `${path}port`, is: Number(port), right }]
}

const findIn = (value: unknown, path: string, services: readonly ServiceView[]): WrongAddress[] => {
  if (typeof value === 'string') {
    const right = correctAddress(value, services)
    return right === undefined ? [] : [{ path, is: value, right }]
  }
  if (typeof value !== 'object' || value === null) return []
  const prefix = path === '' ? '' : `${path}.`
  return [
    ...correctPair(value as Fields, prefix, services),
    ...Object.entries(value).flatMap(([name, inner]) => findIn(inner, `${prefix}${name}`, services)),
  ]
}

const replaceAt = (value: unknown, [name, ...rest]: readonly string[], right: unknown): unknown => {
  if (name === undefined) return right
  const fields = value as Fields
  return { ...fields, [name]: replaceAt(fields[name], rest, right) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of a file of JSON, or of a plain value; undefined where nothing in it is wrong. */
export const correctAddresses = (
  text: string,
  services: readonly ServiceView[],
): CorrectedText | undefined => {
  const parsed = parse(text)
  if (typeof parsed !== 'object' || parsed === null) {
    const right = correctAddress(text.trim(), services)
    return right === undefined ? undefined : { text: right, wrong: [{ path: '', is: text.trim(), right }] }
  }
  const wrong = findIn(parsed, '', services)
  if (wrong.length === 0) return undefined
  const corrected = wrong.reduce<unknown>(
    (so, { path, right }) => replaceAt(so, path.split('.'), right),
    parsed,
  )
  return { text: JSON.stringify(corrected, null, 2), wrong }
}
