/** From the body of a request to an object of the stored version, fit to be written. */
import { badRequest, invalid, invalidObject, type KubeObject } from '../meta/index.ts'
import type { Served } from '../resources/index.ts'
import {
  decodeObject,
  fieldComplaints,
  type ObjectSchema,
  schemaOf,
  strictDecodingError,
} from '../schema/index.ts'
import type { ApiCall, Body } from './api-call.ts'
import type { FieldValidation } from './write-options.ts'

/** The type that a place of the API takes. */
export interface Expected {
  group: string
  version: string
  apiVersion: string
  kind: string
  schema: ObjectSchema
  /** Custom kinds have no type of their own in the server, which words some refusals otherwise. */
  custom: boolean
}

export interface DecodeChoices {
  validation: FieldValidation
  warnings: string[]
  /** Of a part of an object, as an apply configuration is. */
  partial?: boolean
  /** The text is that of a patch; the value is what it made of an object. */
  patched?: boolean
}

/** Nobody reads further. */
const MAX_COMPLAINTS = 100

const SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'

export const expectServed = ({ group, version, apiVersion, kind, schema }: Served): Expected => ({
  group,
  version,
  apiVersion,
  kind: kind.kind,
  schema,
  custom: kind.schema !== undefined,
})

/** For the types that are only ever sent: reviews, evictions, options. */
export const expectType = (group: string, version: string, kind: string): Expected => ({
  group,
  version,
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
  schema: schemaOf({ group, version, kind })!,
  custom: false,
})

const splitVersion = (apiVersion: string): { group: string; version: string } => {
  const slash = apiVersion.indexOf('/')
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The type a body claims to be must be the one that the path serves. */
const checkType = (expected: Expected, value: Record<string, unknown>): void => {
  const kind = text(value.kind) || expected.kind
  const apiVersion = text(value.apiVersion) || expected.apiVersion
  if (kind === expected.kind && apiVersion === expected.apiVersion) return
  const { group, version } = splitVersion(apiVersion)
  const handledAs = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}`
  if (!expected.custom && schemaOf({ group, version, kind }) === undefined) {
    throw badRequest(
      `${handledAs}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} ${SCHEME}`,
    )
  }
  if (!expected.custom && kind !== expected.kind) {
    const type = `${expected.group.split('.')[0] || 'core'}.${expected.kind}`
    throw badRequest(`${handledAs}: converting (${version}.${kind}) to (${type}): unknown conversion`)
  }
  if (apiVersion !== expected.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    )
  }
  const name = text((value.metadata as Record<string, unknown> | undefined)?.name)
  throw invalidObject(expected.group, expected.kind, name, [
    invalid('kind', kind, `must be ${expected.kind}`),
  ])
}

const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const HEAD_TYPE =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** Null counts as an empty object, as it does in Go. */
const fieldsOf = ({ value, summary = '' }: Body, kind: string): Record<string, unknown> => {
  if (value === null || value === undefined) return {}
  const unrecognized = (why: string): Error =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${why} (${summary})`,
    )
  if (typeof value !== 'object' || Array.isArray(value))
    throw unrecognized(`${jsonType(value)} into Go value of type ${HEAD_TYPE}`)
  const fields = value as Record<string, unknown>
  for (const field of ['apiVersion', 'kind']) {
    const given = fields[field] ?? ''
    if (typeof given !== 'string')
      throw unrecognized(`${jsonType(given)} into Go struct field .${field} of type string`)
  }
  return fields
}

/** `yaml: unmarshal errors:` and a line for each key that is given twice. */
export const repetitionErrors = ({ repeated = [] }: Body): string[] =>
  repeated.length === 0 ? [] : [['yaml: unmarshal errors:', ...repeated.map((one) => `  ${one}`)].join('\n')]

/** Refuses a body that does not claim to be of the expected type, whatever else is in it. */
export const checkBodyType = (expected: Expected, body: Body): Record<string, unknown> => {
  const fields = fieldsOf(body, expected.kind)
  checkType(expected, fields)
  return fields
}

/** Checks a body against the type that is expected; the result shares nothing with it. */
export const decodeBody = (expected: Expected, body: Body, choices: DecodeChoices): KubeObject => {
  const { validation, warnings, partial = false, patched = false } = choices
  const fields = checkBodyType(expected, body)
  const { object, unknown } = decodeObject(expected.schema, fields, expected, { partial })
  if (validation !== 'Ignore') {
    const apart = expected.custom || patched
    const complaints = fieldComplaints(unknown, body.text, apart).slice(0, MAX_COMPLAINTS)
    const refusals = [...repetitionErrors(body), ...complaints]
    if (validation === 'Strict' && refusals.length > 0) throw strictDecodingError(expected, refusals)
    warnings.push(...(body.repeated ?? []), ...complaints)
  }
  const decoded = object as KubeObject
  decoded.metadata ??= {} as KubeObject['metadata']
  decoded.apiVersion = expected.apiVersion
  decoded.kind = expected.kind
  return decoded
}

/** The object in the body of a create or update, in the stored version, with the path's namespace and name settled. */
export const decodeCallBody = (call: ApiCall, body: Body, validation: FieldValidation): KubeObject => {
  const { served, warnings } = call
  const object = served.fromServed(decodeBody(expectServed(served), body, { validation, warnings }))
  if (call.verb === 'update') settleName(call, object)
  else settleNamespace(call, object)
  return object
}

/** The namespace in the object must be the one in the path; it may be left out. */
export const settleNamespace = (call: ApiCall, object: KubeObject): void => {
  if (!call.served.kind.namespaced) return
  const given = object.metadata.namespace
  if (given !== undefined && given !== '' && given !== call.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  object.metadata.namespace = call.namespace
}

/** A changed object must still be the one that the path names. */
export const settleName = (call: ApiCall, object: KubeObject): void => {
  const { name, namespace } = object.metadata
  if (name === undefined || name === '') {
    throw badRequest(
      `the name of the object (${call.name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (name !== call.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`)
  if (call.namespace === '') return
  if (namespace !== undefined && namespace !== '' && namespace !== call.namespace) {
    throw badRequest(
      `the namespace of the object (${namespace}) does not match the namespace on the request (${call.namespace})`,
    )
  }
  object.metadata.namespace = call.namespace
}
