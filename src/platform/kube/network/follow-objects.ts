/** Watches the objects behind Service and policy rules, and reports which part has changed. */
import { isDeepStrictEqual } from 'node:util'
import { endpointSlices, type Kind, namespaces, networkPolicies, pods, services } from '#platform/kube/kinds'
import type { Client, WatchEvent } from '#platform/kube/ports'

/** Policies depend on labels only, and most updates of a pod change its status. */
const hasChangedLabels = ({ type, object, old }: WatchEvent): boolean =>
  type !== 'MODIFIED' || !isDeepStrictEqual(object.metadata.labels, old.metadata.labels)

const always = (): boolean => true

/** Returns a function that stops the watches. */
export const followObjects = (
  client: Client,
  changed: (part: 'services' | 'policies') => void,
): (() => void) => {
  const watch = (
    kind: Kind<any>,
    part: 'services' | 'policies',
    isRelevant: (event: WatchEvent) => boolean = always,
  ): (() => void) =>
    client.watch(kind, (event) => {
      if (isRelevant(event)) changed(part)
    })
  const stops = [
    watch(services, 'services'),
    watch(endpointSlices, 'services'),
    watch(networkPolicies, 'policies'),
    watch(pods, 'policies', hasChangedLabels),
    watch(namespaces, 'policies', hasChangedLabels),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
