/** From the body of a request to an object of the stored version, fit to be written. */
import { type ApiError, badRequest, type KubeObject } from '../meta/index.ts'
import type { Served } from '../resources/index.ts'
import { decodeObject, fieldWarnings, findDuplicateFields, strictDecodingError } from '../schema/index.ts'
import type { ApiCall, Body } from './api-call.ts'
import type { FieldValidation } from './write-options.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The kind a body claims to be must be the one that the path serves. */
const checkKind = (served: Served, value: Record<string, unknown>): void => {
  const { apiVersion, kind } = value
  if (typeof kind === 'string' && kind !== '' && kind !== served.kind.kind) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${served.kind.kind}: converting (${kind}) to (${served.kind.kind}): unknown conversion`,
    )
  }
  if (typeof apiVersion === 'string' && apiVersion !== '' && apiVersion !== served.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${served.apiVersion})`,
    )
  }
}

const versionOf = (apiVersion: unknown): string =>
  typeof apiVersion === 'string' ? (apiVersion.split('/').at(-1) ?? '') : ''

/** Checks a value against the schema of its kind; the result shares nothing with the input. */
export const decodeServed = (
  served: Served,
  value: unknown,
  validation: FieldValidation,
  warnings: string[],
  text?: string,
  partial = false,
): KubeObject => {
  if (!isObject(value))
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  checkKind(served, value)
  const gvk = { group: served.group, version: served.version, kind: served.kind.kind }
  const { object, unknown } = decodeObject(served.schema, value, gvk, { partial })
  if (validation !== 'Ignore') {
    const duplicates = text === undefined ? [] : findDuplicateFields(text)
    if (validation === 'Strict' && unknown.length + duplicates.length > 0)
      throw strictDecodingError(gvk, unknown, duplicates)
    warnings.push(...fieldWarnings(unknown, duplicates))
  }
  const decoded = object as KubeObject
  decoded.metadata ??= {} as KubeObject['metadata']
  decoded.apiVersion = served.apiVersion
  decoded.kind = served.kind.kind
  return served.fromServed(decoded)
}

const jsonType = (value: unknown): string =>
  Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value

/** The object in the body of a create or update, with the path's namespace and name settled. */
export const decodeCallBody = (call: ApiCall, body: Body, validation: FieldValidation): KubeObject => {
  const object = decodeServed(call.served, body.value, validation, call.warnings, body.text)
  settleNamespace(call, object)
  if (call.verb === 'update') checkName(call, object)
  return object
}

/** The namespace in the object must be the one in the path; it may be left out. */
export const settleNamespace = (call: ApiCall, object: KubeObject): void => {
  if (!call.served.kind.namespaced) return
  const given = object.metadata.namespace
  if (given !== undefined && given !== '' && given !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  object.metadata.namespace = call.namespace
}

export const checkName = (call: ApiCall, object: KubeObject): void => {
  const { name } = object.metadata
  if (name === undefined || name === '') {
    if (call.verb === 'update') throw badRequest('name must be provided')
    object.metadata.name = call.name
  } else if (name !== call.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`)
  }
}

/** A body was needed and none came. */
export const missingBody = (): ApiError => badRequest('unexpected end of JSON input')
