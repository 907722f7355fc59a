/** PATCH: four ways to say what should be different. */
import { ApiError, type KubeObject, notFound, toTime } from '../meta/index.ts'
import { applyJsonPatch, applyMergePatch, applyServerSide, applyStrategicMerge } from '../patch/index.ts'
import { type Core, createObject, type UpdateScope, updateObject } from '../resources/index.ts'
import { decodeObject } from '../schema/index.ts'
import type { ApiCall } from './api-call.ts'
import { checkName, decodeServed, missingBody, settleNamespace } from './decode-call-body.ts'
import { readWriteOptions, type WriteOptions } from './write-options.ts'

export interface Patched {
  object: KubeObject
  created: boolean
}

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

const contextOf = (call: ApiCall, options: WriteOptions, ownFields = false) => ({
  user: call.user,
  manager: options.manager,
  dryRun: options.dryRun,
  ownFields,
  warn: (message: string) => {
    call.warnings.push(message)
  },
})

const applied = (
  core: Core,
  call: ApiCall,
  old: KubeObject | undefined,
  options: WriteOptions,
  scope: UpdateScope,
): Patched => {
  const { served } = call
  const { value, text } = call.body!
  // Decoded only to be checked: the manager comes to own what it sent, not what decoding makes of it.
  const config = decodeServed(served, value, options.validation, call.warnings, text, true)
  settleNamespace(call, config)
  checkName(call, config)
  const sent = value as KubeObject
  const { schema } = core.directory.storage(served.kind)
  const merged = applyServerSide({
    schema,
    live: old,
    applied: { ...sent, metadata: { ...sent.metadata, name: call.name } },
    manager: options.manager,
    force: options.force,
    apiVersion: served.kind.apiVersion,
    time: toTime(core.clock.now()),
    subresource: scope === 'status' ? scope : undefined,
    reset: scope === undefined && served.kind.hasStatus ? { 'f:status': {} } : undefined,
  })
  const next = decodeObject(schema, merged, served.kind).object as KubeObject
  const context = contextOf(call, options, true)
  if (old === undefined) return { object: createObject(core, served.kind, next, context), created: true }
  return { object: updateObject(core, served.kind, next, old, context, scope), created: false }
}

export const patchObject = (core: Core, call: ApiCall, scope: UpdateScope): Patched => {
  const options = readWriteOptions(call)
  if (call.body === undefined) throw missingBody()
  const { served } = call
  const old = core.store.get(served.kind.id, call.namespace, call.name)
  if (call.patchType === 'apply' && (old !== undefined || scope === undefined))
    return applied(core, call, old, options, scope)
  if (old === undefined) throw notFound(served.kind, call.name)
  const value = patchedValue(call, served.toServed(old))
  const next = decodeServed(served, value, options.validation, call.warnings)
  settleNamespace(call, next)
  checkName(call, next)
  return {
    object: updateObject(core, served.kind, next, old, contextOf(call, options), scope),
    created: false,
  }
}
