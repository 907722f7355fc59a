/** Carries out one authorised call on a resource that is kept in the store. */
import {
  ApiError,
  badRequest,
  type KubeObject,
  methodNotAllowed,
  noSuchResource,
  notFound,
  type Status,
} from '../meta/index.ts'
import type { DeleteOptions, Propagation } from '../ports/index.ts'
import {
  type Core,
  createObject,
  type Deletion,
  deleteObject,
  type UpdateScope,
  updateObject,
} from '../resources/index.ts'
import { type ApiCall, isTrue } from './api-call.ts'
import { decodeCallBody, missingBody } from './decode-call-body.ts'
import { listObjects, type ObjectList } from './list-objects.ts'
import { patchObject } from './patch-object.ts'
import { serveScale } from './scale.ts'
import { readWriteOptions } from './write-options.ts'

export type Answer =
  | { code: number; object: KubeObject }
  | { code: number; status: Status }
  | { code: number; list: ObjectList }

const scopeOf = (call: ApiCall): UpdateScope => {
  const { kind } = call.served
  switch (call.subresource) {
    case '':
      return undefined
    case 'status':
      if (kind.hasStatus) return 'status'
      break
    case 'finalize':
      if (kind.id === 'namespaces') return 'finalize'
      break
    case 'ephemeralcontainers':
    case 'resize':
      if (kind.id === 'pods') return call.subresource
      break
  }
  throw noSuchResource()
}

const current = (core: Core, call: ApiCall): KubeObject => {
  const object = core.store.get(call.served.kind.id, call.namespace, call.name)
  if (object === undefined) throw notFound(call.served.kind, call.name)
  return object
}

const contextOf = (call: ApiCall, options: { manager: string; dryRun: boolean }) => ({
  user: call.user,
  manager: options.manager,
  dryRun: options.dryRun,
  warn: (message: string) => {
    call.warnings.push(message)
  },
})

const create = (core: Core, call: ApiCall): Answer => {
  const options = readWriteOptions(call)
  if (call.body === undefined) throw missingBody()
  const object = decodeCallBody(call, call.body, options.validation)
  const created = createObject(core, call.served.kind, object, contextOf(call, options))
  return { code: 201, object: call.served.toServed(created) }
}

const update = (core: Core, call: ApiCall): Answer => {
  const options = readWriteOptions(call)
  if (call.body === undefined) throw missingBody()
  const scope = scopeOf(call)
  const object = decodeCallBody(call, call.body, options.validation)
  const { kind } = call.served
  const old = core.store.get(kind.id, call.namespace, call.name)
  if (old === undefined && kind.createOnUpdate === true && scope === undefined) {
    delete (object.metadata as Partial<KubeObject['metadata']>).resourceVersion
    return {
      code: 201,
      object: call.served.toServed(createObject(core, kind, object, contextOf(call, options))),
    }
  }
  const next = updateObject(core, kind, object, old ?? current(core, call), contextOf(call, options), scope)
  return { code: 200, object: call.served.toServed(next) }
}

const PROPAGATIONS = new Set(['Background', 'Foreground', 'Orphan'])

/** Deletion options come in the body, in the query, or not at all. */
export const readDeleteOptions = (call: ApiCall): DeleteOptions => {
  const body = (call.body?.value ?? {}) as Record<string, unknown>
  const grace = body['gracePeriodSeconds'] ?? call.query.get('gracePeriodSeconds') ?? undefined
  const seconds = grace === undefined || grace === '' ? undefined : Number(grace)
  if (seconds !== undefined && !Number.isInteger(seconds)) {
    throw badRequest(
      `DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal ${typeof grace} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    )
  }
  const orphan = body['orphanDependents'] ?? call.query.get('orphanDependents') ?? undefined
  let propagation = body['propagationPolicy'] ?? call.query.get('propagationPolicy') ?? undefined
  if (propagation === undefined && orphan !== undefined)
    propagation = orphan === true || isTrue(String(orphan)) ? 'Orphan' : 'Background'
  if (propagation !== undefined && !PROPAGATIONS.has(String(propagation))) {
    throw new ApiError(
      422,
      'Invalid',
      `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: ${JSON.stringify(propagation)}: supported values: "Background", "Foreground", "Orphan"`,
      { group: 'meta.k8s.io', kind: 'DeleteOptions' },
    )
  }
  const preconditions = body['preconditions'] as DeleteOptions['preconditions'] | null | undefined
  const dryRun = body['dryRun'] ?? call.query.getAll('dryRun')
  return {
    ...(seconds === undefined ? {} : { gracePeriodSeconds: Math.max(seconds, 0) }),
    ...(propagation === undefined ? {} : { propagation: propagation as Propagation }),
    ...(preconditions ? { preconditions } : {}),
    dryRun: Array.isArray(dryRun) && dryRun.includes('All'),
  }
}

const success = (call: ApiCall, deleted: KubeObject): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: deleted.metadata.name,
    ...(call.served.group === '' ? {} : { group: call.served.group }),
    kind: call.served.kind.plural,
    uid: deleted.metadata.uid,
  },
})

const remove = (core: Core, call: ApiCall): Answer => {
  const options = readDeleteOptions(call)
  const context = contextOf(call, { manager: '', dryRun: options.dryRun === true })
  const deletion: Deletion = deleteObject(core, call.served.kind, current(core, call), options, context)
  return deletion.done && call.served.kind.returnsDeleted !== true
    ? { code: 200, status: success(call, deletion.object) }
    : { code: 200, object: call.served.toServed(deletion.object) }
}

const removeAll = (core: Core, call: ApiCall): Answer => {
  const options = readDeleteOptions(call)
  const context = contextOf(call, { manager: '', dryRun: options.dryRun === true })
  const { kind } = call.served
  const list = listObjects(core.store, call.served, call.namespace, call.query)
  for (const { metadata } of list.items) {
    const object = core.store.get(kind.id, metadata.namespace ?? '', metadata.name)
    if (object !== undefined) deleteObject(core, kind, object, options, context)
  }
  return { code: 200, list }
}

/** Verbs a kind answers at all. */
const checkVerb = (call: ApiCall): void => {
  const { verbs } = call.served.kind
  const verb = call.verb
  if (call.subresource === '' && verbs !== undefined && !verbs.includes(verb)) throw methodNotAllowed()
  if (call.subresource !== '' && !['get', 'update', 'patch'].includes(verb)) throw methodNotAllowed()
}

export const perform = (core: Core, call: ApiCall): Answer => {
  checkVerb(call)
  if (call.subresource === 'scale') return { code: 200, object: serveScale(core, call) }
  switch (call.verb) {
    case 'get': {
      scopeOf(call)
      return { code: 200, object: call.served.toServed(current(core, call)) }
    }
    case 'list':
      return { code: 200, list: listObjects(core.store, call.served, call.namespace, call.query) }
    case 'create':
      return create(core, call)
    case 'update':
      return update(core, call)
    case 'patch': {
      const { object, created } = patchObject(core, call, scopeOf(call))
      return { code: created ? 201 : 200, object: call.served.toServed(object) }
    }
    case 'delete':
      return remove(core, call)
    case 'deletecollection':
      return removeAll(core, call)
    case 'watch':
      throw methodNotAllowed()
  }
}
