/** Performs one authorised call on a stored resource. */
import {
  type KubeObject,
  methodNotAllowed,
  noSuchResource,
  notFound,
  type Status,
  spaceExceeded,
} from '#platform/kube/meta'
import { isOwner } from '#platform/kube/ports'
import {
  type Core,
  createObject,
  deleteObject,
  type UpdateScope,
  updateObject,
} from '#platform/kube/resources'
import { type ApiCall, requireBody, type Verb } from '../request/api-call.ts'
import { decodeCallBody } from '../request/decode-call-body.ts'
import { checkNotFuture, parseVersion } from '../request/list-options.ts'
import { readDeleteOptions } from '../request/read-delete-options.ts'
import { readWriteOptions, writeContext } from '../request/write-options.ts'
import { listObjects, type ObjectList } from './list-objects.ts'
import { patchObject } from './patch-object.ts'
import { serveScale } from './serve-scale.ts'

export type Answer =
  | { code: number; object: KubeObject }
  | { code: number; status: Status }
  | { code: number; list: ObjectList }

/** The part of the object that a call addresses; the route is already checked. */
const scopeOf = ({ subresource }: ApiCall): UpdateScope => {
  switch (subresource) {
    case '':
      return undefined
    case 'status':
    case 'finalize':
    case 'ephemeralcontainers':
      return subresource
    default:
      throw noSuchResource()
  }
}

const getCurrent = (core: Core, call: ApiCall): KubeObject => {
  const object = core.store.get(call.served.kind.id, call.namespace, call.name)
  if (object === undefined) throw notFound(call.served.kind, call.name)
  return object
}

const get = (core: Core, call: ApiCall): Answer => {
  scopeOf(call)
  const requested = parseVersion(call.query.get('resourceVersion'))
  if (requested !== undefined) checkNotFuture(requested, core.store.version)
  return { code: 200, object: call.served.toServed(getCurrent(core, call)) }
}

const create = (core: Core, call: ApiCall): Answer => {
  const options = readWriteOptions(call)
  const object = decodeCallBody(call, requireBody(call), options.validation)
  const created = createObject(core, call.served.kind, object, writeContext(call, options))
  return { code: 201, object: call.served.toServed(created) }
}

const update = (core: Core, call: ApiCall): Answer => {
  const options = readWriteOptions(call)
  const context = writeContext(call, options)
  const scope = scopeOf(call)
  const object = decodeCallBody(call, requireBody(call), options.validation)
  const { kind, toServed } = call.served
  const old = core.store.get(kind.id, call.namespace, call.name)
  if (old === undefined && kind.allowCreateOnUpdate === true && scope === undefined) {
    delete (object.metadata as Partial<KubeObject['metadata']>).resourceVersion
    return { code: 201, object: toServed(createObject(core, kind, object, context)) }
  }
  const next = updateObject(core, { kind, object, old: old ?? getCurrent(core, call), scope }, context)
  return { code: 200, object: toServed(next) }
}

const patch = (core: Core, call: ApiCall): Answer => {
  const { object, created } = patchObject(core, call, scopeOf(call))
  return { code: created ? 201 : 200, object: call.served.toServed(object) }
}

const successStatus = (call: ApiCall, deleted: KubeObject): Status => ({
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
  const context = writeContext(call, { manager: '', dryRun: options.dryRun === true })
  const { kind, toServed } = call.served
  const deletion = deleteObject(core, { kind, object: getCurrent(core, call), options }, context)
  return deletion.done && kind.returnsDeleted !== true
    ? { code: 200, status: successStatus(call, deletion.object) }
    : { code: 200, object: toServed(deletion.object) }
}

const removeAll = (core: Core, call: ApiCall): Answer => {
  const options = readDeleteOptions(call)
  const context = writeContext(call, { manager: '', dryRun: options.dryRun === true })
  const { kind } = call.served
  const list = listObjects(core.store, call.served, call.namespace, call.query)
  for (const { metadata } of list.items) {
    const object = core.store.get(kind.id, metadata.namespace ?? '', metadata.name)
    if (object !== undefined) deleteObject(core, { kind, object, options }, context)
  }
  return { code: 200, list }
}

/** The verbs that are rejected when the store is full. Components of the cluster can still update their objects. */
const SIZE_INCREASING_VERBS: ReadonlySet<Verb> = new Set(['create', 'update', 'patch'])

export const perform = (core: Core, call: ApiCall): Answer => {
  if (SIZE_INCREASING_VERBS.has(call.verb) && core.store.isFull && !isOwner(call.user)) throw spaceExceeded()
  if (call.subresource === 'scale') return { code: 200, object: serveScale(core, call) }
  switch (call.verb) {
    case 'get':
      return get(core, call)
    case 'list':
      return { code: 200, list: listObjects(core.store, call.served, call.namespace, call.query) }
    case 'create':
      return create(core, call)
    case 'update':
      return update(core, call)
    case 'patch':
      return patch(core, call)
    case 'delete':
      return remove(core, call)
    case 'deletecollection':
      return removeAll(core, call)
    case 'watch':
      throw methodNotAllowed()
  }
}
