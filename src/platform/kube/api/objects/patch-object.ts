/** Implements PATCH: JSON patch, merge patch, strategic merge patch and server-side apply. */
import { ApiError, badRequest, type FieldSet, type KubeObject, notFound, toTime } from '#platform/kube/meta'
import { applyJsonPatch, applyMergePatch, applyServerSide, applyStrategicMerge } from '#platform/kube/patch'
import { type Core, createObject, type UpdateScope, updateObject } from '#platform/kube/resources'
import { decodeObject } from '#platform/kube/schema'
import { type ApiCall, requireBody } from '../request/api-call.ts'
import {
  checkBodyType,
  checkName,
  checkNamespace,
  decodeBody,
  expectServed,
  repetitionErrors,
} from '../request/decode-call-body.ts'
import {
  type FieldValidation,
  readWriteOptions,
  type WriteOptions,
  writeContext,
} from '../request/write-options.ts'
import { decodePatched } from './decode-patched.ts'

export interface Patched {
  object: KubeObject
  created: boolean
}

const LAX = { validation: 'Ignore' as const, warnings: [] }

const STRATEGIC_UNSUPPORTED =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'

const applyPatch = (call: ApiCall, current: KubeObject): unknown => {
  const patch = call.body!.value
  const { schema, kind } = call.served
  switch (call.patchType) {
    case 'json':
      return applyJsonPatch(current, patch)
    case 'merge':
      return applyMergePatch(current, patch)
    default:
      if (kind.schema !== undefined) throw new ApiError(415, 'UnsupportedMediaType', STRATEGIC_UNSUPPORTED)
      return applyStrategicMerge(schema, current, patch)
  }
}

/** Adds the name and namespace of the path, which an apply configuration may omit. */
const withPathMetadata = ({ namespace, name }: ApiCall, sent: Record<string, any>): Record<string, any> => {
  const { metadata = {} } = sent
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return sent
  return { ...sent, metadata: { ...metadata, name, ...(namespace === '' ? {} : { namespace }) } }
}

/** A real server checks applied YAML for duplicate keys only after the merge, so this runs late. */
const checkRepetitions = (call: ApiCall, validation: FieldValidation): void => {
  if (validation === 'Ignore') return
  const [error] = repetitionErrors(call.body!)
  if (validation === 'Strict' && error !== undefined)
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${error}`)
  call.warnings.push(...(call.body!.repeated ?? []))
}

/** Field ownership refers to the stored version, so a configuration of another version is converted first. */
const toStoredVersion = (call: ApiCall, configuration: Record<string, any>): Record<string, any> => {
  const { served } = call
  if (served.apiVersion === served.kind.apiVersion) return configuration
  return served.fromServed(
    decodeBody(expectServed(served), { value: configuration }, { ...LAX, partial: true }),
  )
}

/** The fields that the endpoint always takes from the stored object, not from the configuration. */
const resetFields = (scope: UpdateScope, hasStatus: boolean): FieldSet | undefined => {
  if (scope === 'status') return { 'f:metadata': {}, 'f:spec': {} }
  return scope === undefined && hasStatus ? { 'f:status': {} } : undefined
}

interface ApplyTarget {
  /** The stored object; undefined if it does not exist. */
  old: KubeObject | undefined
  options: WriteOptions
  scope: UpdateScope
}

const serverSideApply = (core: Core, call: ApiCall, { old, options, scope }: ApplyTarget): Patched => {
  const { served } = call
  const sent = checkBodyType(expectServed(served), call.body!)
  const { schema } = core.directory.storage(served.kind)
  // The merge comes first, because it reports unknown fields with its own message, even without field validation.
  const merged = applyServerSide({
    schema,
    live: old,
    applied: toStoredVersion(call, withPathMetadata(call, sent)),
    manager: options.manager,
    force: options.force,
    apiVersion: served.kind.apiVersion,
    time: toTime(core.clock.now()),
    subresource: scope === 'status' ? scope : undefined,
    reset: resetFields(scope, served.kind.hasStatus),
  })
  checkRepetitions(call, options.validation)
  // Decoded only for validation: the manager owns the fields that it sent, not the decoded ones.
  const config = decodeBody(expectServed(served), { value: sent }, { ...LAX, partial: true })
  checkNamespace(call, config)
  config.metadata.name ||= call.name
  checkName(call, config)
  const next = decodeObject(schema, merged, served.kind).object as KubeObject
  const context = { ...writeContext(call, options), isFieldOwnershipSet: true, isPatch: true }
  if (old === undefined) return { object: createObject(core, served.kind, next, context), created: true }
  return {
    object: updateObject(core, { kind: served.kind, object: next, old, scope }, context),
    created: false,
  }
}

export const patchObject = (core: Core, call: ApiCall, scope: UpdateScope): Patched => {
  const options = readWriteOptions(call)
  const { text } = requireBody(call)
  const { served } = call
  const { kind } = served
  const old = core.store.get(kind.id, call.namespace, call.name)
  if (call.patchType === 'apply' && (old !== undefined || scope === undefined))
    return serverSideApply(core, call, { old, options, scope })
  if (old === undefined) throw notFound(kind, call.name)
  const value = applyPatch(call, served.toServed(old))
  const body = text === undefined || call.patchType === 'json' ? { value } : { value, text }
  const decodeOptions = { validation: options.validation, warnings: call.warnings, patched: true }
  const next = served.fromServed(decodePatched(call, expectServed(served), body, decodeOptions))
  checkName(call, next)
  const context = { ...writeContext(call, options), isPatch: true }
  return { object: updateObject(core, { kind, object: next, old, scope }, context), created: false }
}
