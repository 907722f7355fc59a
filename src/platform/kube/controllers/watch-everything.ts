/** Watches the objects of all kinds, including kinds that are added later. */
import type { Kind } from '#platform/kube/kinds'
import type { Client, WatchEvent } from '#platform/kube/ports'

export type AnyKindListener = (kind: Kind, event: WatchEvent) => void

/** Calls the listener for every existing object and every later change. The returned function stops the watch. */
export const watchEverything = (client: Client, listener: AnyKindListener): (() => void) => {
  const stops = new Map<string, { kind: Kind; stop: () => void }>()
  const updateWatches = (): void => {
    const served = new Map(client.kinds().map((kind) => [kind.id, kind]))
    for (const [id, { stop }] of stops) {
      if (served.has(id)) continue
      stop()
      stops.delete(id)
    }
    for (const [id, kind] of served) {
      if (stops.has(id)) continue
      stops.set(id, { kind, stop: client.watch(kind, (event) => listener(kind, event)) })
      for (const object of client.list(kind)) listener(kind, { type: 'ADDED', object })
    }
  }
  updateWatches()
  const stopKinds = client.watchKinds(updateWatches)
  return () => {
    stopKinds()
    for (const { stop } of stops.values()) stop()
  }
}
