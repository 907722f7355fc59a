/** An in-memory KubeApi for collectors, which only watch. */
import type { ApiObject, KubeApi, ObjectEvent, ResourceRef } from '#spec'

interface Watcher {
  ref: ResourceRef
  onEvent(event: ObjectEvent): void
  onEnd(error?: Error): void
}

export interface FakeCluster {
  readonly api: Pick<KubeApi, 'watch'>
  put(plural: string, object: object): void
  remove(plural: string, name: string): void
  /** Ends all watches, as a server does. */
  interrupt(): void
  watchers(): number
}

export const createFakeCluster = (): FakeCluster => {
  const objects = new Map<string, ApiObject>()
  const watchers = new Set<Watcher>()
  let version = 0

  const matches = (key: string, object: ApiObject, ref: ResourceRef): boolean =>
    key.startsWith(`${ref.plural}/`) &&
    (ref.namespace === undefined || object.metadata.namespace === ref.namespace)

  const notify = (key: string, event: ObjectEvent): void => {
    for (const { ref, onEvent } of watchers) if (matches(key, event.object, ref)) onEvent(event)
  }

  return {
    api: {
      async watch(ref, _options, onEvent, onEnd) {
        const watcher = { ref, onEvent, onEnd }
        watchers.add(watcher)
        for (const [key, object] of objects) if (matches(key, object, ref)) onEvent({ type: 'ADDED', object })
        return () => watchers.delete(watcher)
      },
    },
    put(plural, object) {
      version += 1
      const draft = object as ApiObject
      const { name } = draft.metadata
      const key = `${plural}/${name}`
      const metadata = { uid: `uid-of-${name}`, ...draft.metadata, resourceVersion: String(version) }
      const type = objects.has(key) ? 'MODIFIED' : 'ADDED'
      objects.set(key, { ...draft, metadata })
      notify(key, { type, object: objects.get(key)! })
    },
    remove(plural, name) {
      const key = `${plural}/${name}`
      const object = objects.get(key)!
      objects.delete(key)
      notify(key, { type: 'DELETED', object })
    },
    interrupt() {
      const all = [...watchers]
      watchers.clear()
      for (const { onEnd } of all) onEnd()
    },
    watchers: () => watchers.size,
  }
}
