/** The Client port over the write path: in process, at once, under one identity. */
import { cloneJson, deepEqual } from '../../kit/index.ts'
import { type Kind, namespaces } from '../kinds/index.ts'
import { type KubeObject, notFound, type Stored } from '../meta/index.ts'
import type { Client, WatchEvent } from '../ports/index.ts'
import { bindPod } from './bind-pod.ts'
import type { Core, WriteContext } from './core.ts'
import { createObject } from './create-object.ts'
import { deleteObject } from './delete-object.ts'
import { evictPod } from './evict-pod.ts'
import { updateObject } from './update-object.ts'

export const createClient = (core: Core, context: WriteContext): Client => {
  const { store, directory } = core
  const existing = (kind: Kind, namespace: string, name: string): KubeObject => {
    const object = store.get(kind.id, namespace, name)
    if (object === undefined) throw notFound(kind, name)
    return object
  }
  const current = (kind: Kind, object: Pick<KubeObject, 'metadata'>): KubeObject =>
    existing(kind, object.metadata.namespace ?? '', object.metadata.name)

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
        kind,
        cloneJson(object) as KubeObject,
        current(kind, object),
        context,
      ) as unknown as Stored<T>,
    updateStatus<T>(kind: Kind<T>, object: Stored<T>) {
      const given = object as unknown as KubeObject
      const old = current(kind, given)
      if (deepEqual(given.status, old.status)) return old as unknown as Stored<T>
      return updateObject(core, kind, given, old, context, 'status') as unknown as Stored<T>
    },
    finalize(namespace) {
      const given = namespace as unknown as KubeObject
      updateObject(core, namespaces, given, current(namespaces, given), context, 'finalize')
    },
    delete(kind, namespace, name, options = {}) {
      deleteObject(core, kind, existing(kind, kind.namespaced ? namespace : '', name), options, context)
    },
    evict: (namespace, name, options = {}) => evictPod(core, namespace, name, options, context),
    bind: (namespace, name, node) => bindPod(core, namespace, name, node, context),
    watch: <T>(kind: Kind<T>, listener: (event: WatchEvent<T>) => void) =>
      store.watch(kind.id, (change) => listener(change as unknown as WatchEvent<T>)),
    kinds: () => directory.all(),
    watchKinds: (listener) => directory.watch(listener),
    kindOf: (apiVersion, kind) => directory.byKind(apiVersion, kind)?.kind,
  }
}
