/** Decodes the body of a request to an object of the stored version. */
import { badRequest, invalid, invalidObject, type KubeObject } from '#platform/kube/meta'
import type { Served } from '#platform/kube/resources'
import {
  decodeObject,
  fieldWarnings,
  type ObjectSchema,
  schemaOf,
  strictDecodingError,
} from '#platform/kube/schema'
import type { ApiCall, Body } from './api-call.ts'
import type { FieldValidation } from './write-options.ts'

/** The type that a path accepts. */
export interface ExpectedType {
  group: string
  version: string
  apiVersion: string
  kind: string
  schema: ObjectSchema
  /** Some error messages differ for custom kinds, which have no Go type. */
  custom: boolean
}

export interface DecodeOptions {
  validation: FieldValidation
  warnings: string[]
  /** The body is part of an object, such as an apply configuration. */
  partial?: boolean
  /** The text is a patch; the value is the patched object. */
  patched?: boolean
}

/** Limits the length of error messages. */
const MAX_FIELD_ERRORS = 100

const SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'

export const expectServed = ({ group, version, apiVersion, kind, schema }: Served): ExpectedType => ({
  group,
  version,
  apiVersion,
  kind: kind.kind,
  schema,
  custom: kind.schema !== undefined,
})

/** For types that are not stored: reviews, evictions, options. */
export const expectType = (group: string, version: string, kind: string): ExpectedType => ({
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

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Throws unless the kind and apiVersion of a body match the path. */
const checkType = (expected: ExpectedType, value: Record<string, unknown>): void => {
  const kind = toText(value.kind) || expected.kind
  const apiVersion = toText(value.apiVersion) || expected.apiVersion
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
  const name = toText((value.metadata as Record<string, unknown> | undefined)?.name)
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

/** Null is an empty object, as in Go. */
const fieldsOf = ({ value, summary = '' }: Body, kind: string): Record<string, unknown> => {
  if (value === null || value === undefined) return {}
  const unrecognized = (detail: string): Error =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${detail} (${summary})`,
    )
  if (typeof value !== 'object' || Array.isArray(value))
    throw unrecognized(`${jsonType(value)} into Go value of type ${HEAD_TYPE}`)
  const fields = value as Record<string, unknown>
  for (const field of ['apiVersion', 'kind']) {
    const actual = fields[field] ?? ''
    if (typeof actual !== 'string')
      throw unrecognized(`${jsonType(actual)} into Go struct field .${field} of type string`)
  }
  return fields
}

/** `yaml: unmarshal errors:` and one line for each duplicate key. */
export const repetitionErrors = ({ repeated = [] }: Body): string[] =>
  repeated.length === 0
    ? []
    : [['yaml: unmarshal errors:', ...repeated.map((line) => `  ${line}`)].join('\n')]

/** Throws if the body is not of the expected type; returns its fields, undecoded. */
export const checkBodyType = (expected: ExpectedType, body: Body): Record<string, unknown> => {
  const fields = fieldsOf(body, expected.kind)
  checkType(expected, fields)
  return fields
}

/** Decodes a body of the expected type; the result shares no references with the body. */
export const decodeBody = (expected: ExpectedType, body: Body, options: DecodeOptions): KubeObject => {
  const { validation, warnings, partial = false, patched = false } = options
  const fields = checkBodyType(expected, body)
  const { object, unknown } = decodeObject(expected.schema, fields, expected, { partial })
  if (validation !== 'Ignore') {
    const duplicatesFirst = expected.custom || patched
    const fieldErrors = fieldWarnings(unknown, body.text, duplicatesFirst).slice(0, MAX_FIELD_ERRORS)
    const errors = [...repetitionErrors(body), ...fieldErrors]
    if (validation === 'Strict' && errors.length > 0) throw strictDecodingError(expected, errors)
    warnings.push(...(body.repeated ?? []), ...fieldErrors)
  }
  const decoded = object as KubeObject
  decoded.metadata ??= {} as KubeObject['metadata']
  decoded.apiVersion = expected.apiVersion
  decoded.kind = expected.kind
  return decoded
}

/** Decodes the body of a create or update to the stored version, and checks it against the path. */
export const decodeCallBody = (call: ApiCall, body: Body, validation: FieldValidation): KubeObject => {
  const { served, warnings } = call
  const object = served.fromServed(decodeBody(expectServed(served), body, { validation, warnings }))
  if (call.verb === 'update') checkName(call, object)
  else checkNamespace(call, object)
  return object
}

/** Throws if the namespace differs from the path; sets it if it is omitted. */
export const checkNamespace = (call: ApiCall, object: KubeObject): void => {
  if (!call.served.kind.namespaced) return
  const actual = object.metadata.namespace
  if (actual !== undefined && actual !== '' && actual !== call.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  object.metadata.namespace = call.namespace
}

/** Throws if the name or namespace differs from the path, or the name is omitted; sets the namespace. */
export const checkName = (call: ApiCall, object: KubeObject): void => {
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
