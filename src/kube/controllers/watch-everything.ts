/** Follows the objects of all kinds, also of those that come to be served later. */
import type { Kind } from '../kinds/index.ts'
import type { Client, WatchEvent } from '../ports/index.ts'

export type EveryListener = (kind: Kind, event: WatchEvent) => void

/** Calls back for what is there now and for every change after. The function it gives ends it. */
export const watchEverything = (client: Client, listener: EveryListener): (() => void) => {
  const stops = new Map<string, { kind: Kind; stop: () => void }>()
  const follow = (): void => {
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
  follow()
  const stopKinds = client.watchKinds(follow)
  return () => {
    stopKinds()
    for (const { stop } of stops.values()) stop()
  }
}
