/** Finds wrong addresses in a configuration: no Service has them, but a Service has a similar one. */
import { findNearestName } from '#kit'
import type { ServiceView } from '../observe/services.ts'

export interface WrongAddress {
  /** The path of the value, such as `RateMongoAddress` or `user-mongodb.port`. */
  readonly path: string
  readonly actual: string | number
  readonly expected: string | number
}

export interface CorrectedText {
  readonly text: string
  readonly corrections: readonly WrongAddress[]
}

const ADDRESS = /^([a-z][\w.-]*):(\d+)$/
const NAME = /^[a-z][a-z0-9-]*[a-z0-9]$/

/** Returns the most similar name of a Service, or undefined if a Service has this name or none is similar. */
const findIntendedHost = (host: string, services: readonly ServiceView[]): string | undefined => {
  const [first = ''] = host.split('.')
  const names = services.map(({ name }) => name)
  if (names.includes(first)) return undefined
  return (
    names.find((name) => first === `${name}-svc` || `${first}-svc` === name) ?? findNearestName(first, names)
  )
}

const findIntendedPort = (port: number, service: ServiceView | undefined): number | undefined => {
  const ports = (service?.ports ?? []).map((servicePort) => servicePort.port)
  if (ports.length === 0 || ports.includes(port)) return undefined
  return [...ports].sort((a, b) => Math.abs(a - port) - Math.abs(b - port))[0]
}

/** A port that differs by more is considered intended. */
const MAX_PORT_DISTANCE = 10

const correctAddress = (address: string, services: readonly ServiceView[]): string | undefined => {
  const [, host = '', port = ''] = ADDRESS.exec(address) ?? []
  if (host === '') return undefined
  const intendedHost = findIntendedHost(host, services)
  if (intendedHost !== undefined) return `${intendedHost}:${port}`
  const service = services.find(({ name }) => name === host.split('.')[0])
  const intendedPort = findIntendedPort(Number(port), service)
  return intendedPort === undefined || Math.abs(intendedPort - Number(port)) > MAX_PORT_DISTANCE
    ? undefined
    : `${host}:${intendedPort}`
}

type Fields = Readonly<Record<string, unknown>>

/** Corrects a pair such as `{"addr": "user-mongodb", "port": 27018}`. */
const correctPair = (fields: Fields, path: string, services: readonly ServiceView[]): WrongAddress[] => {
  const { addr, port } = fields
  if (typeof addr !== 'string' || !NAME.test(addr)) return []
  const intendedHost = findIntendedHost(addr, services)
  if (intendedHost !== undefined) return [{ path: `${path}addr`, actual: addr, expected: intendedHost }]
  const service = services.find(({ name }) => name === addr)
  const expected = typeof port === 'number' ? findIntendedPort(port, service) : undefined
  return expected === undefined || Math.abs(expected - Number(port)) > MAX_PORT_DISTANCE
    ? []
    : [{ path: `${path}port`, actual: Number(port), expected }]
}

const findWrongAddresses = (
  value: unknown,
  path: string,
  services: readonly ServiceView[],
): WrongAddress[] => {
  if (typeof value === 'string') {
    const expected = correctAddress(value, services)
    return expected === undefined ? [] : [{ path, actual: value, expected }]
  }
  if (typeof value !== 'object' || value === null) return []
  const prefix = path === '' ? '' : `${path}.`
  return [
    ...correctPair(value as Fields, prefix, services),
    ...Object.entries(value).flatMap(([name, inner]) =>
      findWrongAddresses(inner, `${prefix}${name}`, services),
    ),
  ]
}

const replaceAt = (
  value: unknown,
  [name, ...innerPath]: readonly string[],
  correctValue: unknown,
): unknown => {
  if (name === undefined) return correctValue
  const fields = value as Fields
  return { ...fields, [name]: replaceAt(fields[name], innerPath, correctValue) }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Corrects a JSON file or a plain value. Returns undefined if no address is wrong. */
export const correctAddresses = (
  text: string,
  services: readonly ServiceView[],
): CorrectedText | undefined => {
  const parsed = parseJson(text)
  if (typeof parsed !== 'object' || parsed === null) {
    const expected = correctAddress(text.trim(), services)
    return expected === undefined
      ? undefined
      : { text: expected, corrections: [{ path: '', actual: text.trim(), expected }] }
  }
  const corrections = findWrongAddresses(parsed, '', services)
  if (corrections.length === 0) return undefined
  const corrected = corrections.reduce<unknown>(
    (correctedValue, { path, expected }) => replaceAt(correctedValue, path.split('.'), expected),
    parsed,
  )
  return { text: JSON.stringify(corrected, null, 2), corrections }
}
