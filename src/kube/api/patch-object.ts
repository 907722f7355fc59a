/** PATCH: four ways to say what should be different. */
import { ApiError, badRequest, type KubeObject, notFound, toTime } from '../meta/index.ts'
import { applyJsonPatch, applyMergePatch, applyServerSide, applyStrategicMerge } from '../patch/index.ts'
import { type Core, createObject, type UpdateScope, updateObject } from '../resources/index.ts'
import { decodeObject } from '../schema/index.ts'
import { type ApiCall, requireBody } from './api-call.ts'
import {
  checkBodyType,
  decodeBody,
  expectServed,
  repetitionErrors,
  settleName,
  settleNamespace,
} from './decode-call-body.ts'
import { type FieldValidation, readWriteOptions, type WriteOptions, writeContext } from './write-options.ts'

export interface Patched {
  object: KubeObject
  created: boolean
}

const LAX = { validation: 'Ignore' as const, warnings: [] }

const NO_STRATEGIC =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'

const patchedValue = (call: ApiCall, current: KubeObject): unknown => {
  const patch = call.body!.value
  const { schema, kind } = call.served
  switch (call.patchType) {
    case 'json':
      return applyJsonPatch(current, patch)
    case 'merge':
      return applyMergePatch(current, patch)
    default:
      if (kind.schema !== undefined) throw new ApiError(415, 'UnsupportedMediaType', NO_STRATEGIC)
      return applyStrategicMerge(schema, current, patch)
  }
}

/** What was sent, with what the path says and a configuration may leave out. */
const placed = ({ namespace, name }: ApiCall, sent: Record<string, any>): Record<string, any> => {
  const { metadata = {} } = sent
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return sent
  return { ...sent, metadata: { ...metadata, name, ...(namespace === '' ? {} : { namespace }) } }
}

/** Applied YAML is parsed a second time when the client wants to know more, and only after it has been merged. */
const checkRepetitions = (call: ApiCall, validation: FieldValidation): void => {
  if (validation === 'Ignore') return
  const [error] = repetitionErrors(call.body!)
  if (validation === 'Strict' && error !== undefined)
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${error}`)
  call.warnings.push(...(call.body!.repeated ?? []))
}

/** Fields are owned in terms of the stored version: what is applied in another one is converted first. */
const inStoredVersion = (call: ApiCall, configuration: Record<string, any>): Record<string, any> => {
  const { served } = call
  if (served.apiVersion === served.kind.apiVersion) return configuration
  return served.fromServed(
    decodeBody(expectServed(served), { value: configuration }, { ...LAX, partial: true }),
  )
}

const applied = (
  core: Core,
  call: ApiCall,
  old: KubeObject | undefined,
  options: WriteOptions,
  scope: UpdateScope,
): Patched => {
  const { served } = call
  const sent = checkBodyType(expectServed(served), call.body!)
  const { schema } = core.directory.storage(served.kind)
  // The merger judges first, and in its own words: it knows no fields but the schema's, however lax the client is.
  const merged = applyServerSide({
    schema,
    live: old,
    applied: inStoredVersion(call, placed(call, sent)),
    manager: options.manager,
    force: options.force,
    apiVersion: served.kind.apiVersion,
    time: toTime(core.clock.now()),
    subresource: scope === 'status' ? scope : undefined,
    reset: scope === undefined && served.kind.hasStatus ? { 'f:status': {} } : undefined,
  })
  checkRepetitions(call, options.validation)
  // Decoded only to be checked: the manager comes to own what it sent, not what decoding makes of it.
  const config = decodeBody(expectServed(served), { value: sent }, { ...LAX, partial: true })
  settleNamespace(call, config)
  config.metadata.name ||= call.name
  settleName(call, config)
  const next = decodeObject(schema, merged, served.kind).object as KubeObject
  const context = { ...writeContext(call, options), ownFields: true }
  if (old === undefined) return { object: createObject(core, served.kind, next, context), created: true }
  return { object: updateObject(core, served.kind, next, old, context, scope), created: false }
}

export const patchObject = (core: Core, call: ApiCall, scope: UpdateScope): Patched => {
  const options = readWriteOptions(call)
  const { text } = requireBody(call)
  const { served } = call
  const { kind } = served
  const old = core.store.get(kind.id, call.namespace, call.name)
  if (call.patchType === 'apply' && (old !== undefined || scope === undefined))
    return applied(core, call, old, options, scope)
  if (old === undefined) throw notFound(kind, call.name)
  const value = patchedValue(call, served.toServed(old))
  const body = text === undefined || call.patchType === 'json' ? { value } : { value, text }
  const choices = { validation: options.validation, warnings: call.warnings, patched: true }
  const next = served.fromServed(decodeBody(expectServed(served), body, choices))
  settleName(call, next)
  return {
    object: updateObject(core, kind, next, old, writeContext(call, options), scope),
    created: false,
  }
}
