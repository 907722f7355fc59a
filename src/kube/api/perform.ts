/** Carries out one authorised call on a resource that is kept in the store. */
import {
  type KubeObject,
  methodNotAllowed,
  noSuchResource,
  notFound,
  type Status,
  spaceExceeded,
} from '../meta/index.ts'
import { isOwner } from '../ports/index.ts'
import { type Core, createObject, deleteObject, type UpdateScope, updateObject } from '../resources/index.ts'
import { type ApiCall, requireBody, type Verb } from './api-call.ts'
import { decodeCallBody } from './decode-call-body.ts'
import { listObjects, type ObjectList } from './list-objects.ts'
import { checkNotFuture, parseVersion } from './list-options.ts'
import { patchObject } from './patch-object.ts'
import { readDeleteOptions } from './read-delete-options.ts'
import { serveScale } from './scale.ts'
import { readWriteOptions, writeContext } from './write-options.ts'

export type Answer =
  | { code: number; object: KubeObject }
  | { code: number; status: Status }
  | { code: number; list: ObjectList }

/** Which part of the object a call addresses; the route has been checked. */
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

const current = (core: Core, call: ApiCall): KubeObject => {
  const object = core.store.get(call.served.kind.id, call.namespace, call.name)
  if (object === undefined) throw notFound(call.served.kind, call.name)
  return object
}

const get = (core: Core, call: ApiCall): Answer => {
  scopeOf(call)
  const asked = parseVersion(call.query.get('resourceVersion'))
  if (asked !== undefined) checkNotFuture(asked, core.store.version)
  return { code: 200, object: call.served.toServed(current(core, call)) }
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
  if (old === undefined && kind.createOnUpdate === true && scope === undefined) {
    delete (object.metadata as Partial<KubeObject['metadata']>).resourceVersion
    return { code: 201, object: toServed(createObject(core, kind, object, context)) }
  }
  const next = updateObject(core, kind, object, old ?? current(core, call), context, scope)
  return { code: 200, object: toServed(next) }
}

const patch = (core: Core, call: ApiCall): Answer => {
  const { object, created } = patchObject(core, call, scopeOf(call))
  return { code: created ? 201 : 200, object: call.served.toServed(object) }
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
  const context = writeContext(call, { manager: '', dryRun: options.dryRun === true })
  const { kind, toServed } = call.served
  const deletion = deleteObject(core, kind, current(core, call), options, context)
  return deletion.done && kind.returnsDeleted !== true
    ? { code: 200, status: success(call, deletion.object) }
    : { code: 200, object: toServed(deletion.object) }
}

const removeAll = (core: Core, call: ApiCall): Answer => {
  const options = readDeleteOptions(call)
  const context = writeContext(call, { manager: '', dryRun: options.dryRun === true })
  const { kind } = call.served
  const list = listObjects(core.store, call.served, call.namespace, call.query)
  for (const { metadata } of list.items) {
    const object = core.store.get(kind.id, metadata.namespace ?? '', metadata.name)
    if (object !== undefined) deleteObject(core, kind, object, options, context)
  }
  return { code: 200, list }
}

/** The cluster's own parts go on noting how things stand: only what is asked for through the API is refused. */
const GROWING: ReadonlySet<Verb> = new Set(['create', 'update', 'patch'])

export const perform = (core: Core, call: ApiCall): Answer => {
  if (GROWING.has(call.verb) && core.store.isFull && !isOwner(call.user)) throw spaceExceeded()
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
