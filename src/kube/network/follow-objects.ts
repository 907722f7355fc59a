/** Watches the objects that Services and NetworkPolicies are made of, and says which part has changed. */
import { isDeepStrictEqual } from 'node:util'
import { endpointSlices, type Kind, namespaces, networkPolicies, pods, services } from '../kinds/index.ts'
import type { Client, WatchEvent } from '../ports/index.ts'

/** A pod's status changes often, what policies look at hardly ever. */
const concernsLabels = ({ type, object, old }: WatchEvent): boolean =>
  type !== 'MODIFIED' || !isDeepStrictEqual(object.metadata.labels, old.metadata.labels)

const always = (): boolean => true

/** Returns how to stop. */
export const followObjects = (
  client: Client,
  changed: (part: 'services' | 'policies') => void,
): (() => void) => {
  const watching = (
    kind: Kind<any>,
    part: 'services' | 'policies',
    concerns: (event: WatchEvent) => boolean = always,
  ): (() => void) =>
    client.watch(kind, (event) => {
      if (concerns(event)) changed(part)
    })
  const stops = [
    watching(services, 'services'),
    watching(endpointSlices, 'services'),
    watching(networkPolicies, 'policies'),
    watching(pods, 'policies', concernsLabels),
    watching(namespaces, 'policies', concernsLabels),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
