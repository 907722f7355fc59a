/** Watches the objects behind Service and policy rules, and reports which part has changed. */
import { isDeepStrictEqual } from 'node:util'
import { endpointSlices, type Kind, namespaces, networkPolicies, pods, services } from '#platform/kube/kinds'
import type { Client, WatchEvent } from '#platform/kube/ports'

/** An update affects policies only if it changes labels; most updates of a pod change only its status. */
const affectsPolicies = ({ type, object, old }: WatchEvent): boolean =>
  type !== 'MODIFIED' || !isDeepStrictEqual(object.metadata.labels, old.metadata.labels)

const always = (): boolean => true

/** Calls `onChange` with the changed part; returns a function that stops the watches. */
export const followObjects = (
  client: Client,
  onChange: (part: 'services' | 'policies') => void,
): (() => void) => {
  const watch = (
    kind: Kind<any>,
    part: 'services' | 'policies',
    isRelevant: (event: WatchEvent) => boolean = always,
  ): (() => void) =>
    client.watch(kind, (event) => {
      if (isRelevant(event)) onChange(part)
    })
  const unsubscribes = [
    watch(services, 'services'),
    watch(endpointSlices, 'services'),
    watch(networkPolicies, 'policies'),
    watch(pods, 'policies', affectsPolicies),
    watch(namespaces, 'policies', affectsPolicies),
  ]
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}
