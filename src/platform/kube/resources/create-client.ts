/** Implements the Client port: synchronous, in process, under one identity. */
import { cloneJson, deepEqual } from '#kit'
import { type Kind, namespaces } from '#platform/kube/kinds'
import { type KubeObject, notFound, type Stored } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import { bindPod } from './bind-pod.ts'
import type { Core, WriteContext } from './core.ts'
import { createObject } from './create-object.ts'
import { deleteObject } from './delete-object.ts'
import { evictPod } from './evict-pod.ts'
import { updateObject } from './update-object.ts'

export const createClient = (core: Core, context: WriteContext): Client => {
  const { store, directory } = core
  const getExisting = (kind: Kind, namespace: string, name: string): KubeObject => {
    const object = store.get(kind.id, namespace, name)
    if (object === undefined) throw notFound(kind, name)
    return object
  }
  const getCurrent = (kind: Kind, object: Pick<KubeObject, 'metadata'>): KubeObject =>
    getExisting(kind, object.metadata.namespace ?? '', object.metadata.name)

  return {
    get: <T>(kind: Kind<T>, namespace: string, name: string) =>
      store.get(kind.id, kind.namespaced ? namespace : '', name) as Stored<T> | undefined,
    list: <T>(kind: Kind<T>, namespace?: string) => store.list(kind.id, namespace) as unknown as Stored<T>[],
    ownedBy: <T>(kind: Kind<T>, uid: string) => store.ownedBy(kind.id, uid) as unknown as Stored<T>[],
    create: <T>(kind: Kind<T>, draft: object) =>
      createObject(core, kind, cloneJson(draft) as KubeObject, context) as unknown as Stored<T>,
    update: <T>(kind: Kind<T>, object: Stored<T>) =>
      updateObject(
        core,
        { kind, object: cloneJson(object) as KubeObject, old: getCurrent(kind, object) },
        context,
      ) as unknown as Stored<T>,
    updateStatus<T>(kind: Kind<T>, object: Stored<T>) {
      const changed = object as unknown as KubeObject
      const old = getCurrent(kind, changed)
      if (deepEqual(changed.status, old.status)) return old as unknown as Stored<T>
      return updateObject(
        core,
        { kind, object: changed, old, scope: 'status' },
        context,
      ) as unknown as Stored<T>
    },
    finalize(namespace) {
      const changed = namespace as unknown as KubeObject
      const old = getCurrent(namespaces, changed)
      updateObject(core, { kind: namespaces, object: changed, old, scope: 'finalize' }, context)
    },
    delete(kind, namespace, name, options = {}) {
      const object = getExisting(kind, kind.namespaced ? namespace : '', name)
      deleteObject(core, { kind, object, options }, context)
    },
    evict: (namespace, name, options = {}) => evictPod(core, { namespace, name }, options, context),
    bind: (namespace, name, node) => bindPod(core, { namespace, name }, node, context),
    watch: <T>(kind: Kind<T>, listener: (event: WatchEvent<T>) => void) =>
      store.watch(kind.id, (change) => listener(change as unknown as WatchEvent<T>)),
    kinds: () => directory.all(),
    watchKinds: (listener) => directory.watch(listener),
    kindOf: (apiVersion, kind) => directory.byKind(apiVersion, kind)?.kind,
  }
}
