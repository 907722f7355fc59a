/** The endpoint controllers' watch on pods: reconciles the Services that a changed pod affects. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, isPodTerminal, pods, services } from '#platform/kube/kinds'
import { hasLabels, type Stored } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import { keyOf, type Watch, watching } from '../define-controller.ts'

const ipOf = ({ status }: Stored<Pod>): string => status.podIP ?? ''

const hasSameEndpoint = (pod: Stored<Pod>, old: Stored<Pod>): boolean =>
  ipOf(pod) === ipOf(old) &&
  isPodReady(pod) === isPodReady(old) &&
  isPodTerminal(pod) === isPodTerminal(old) &&
  (pod.metadata.deletionTimestamp === undefined) === (old.metadata.deletionTimestamp === undefined) &&
  pod.spec.nodeName === old.spec.nodeName

const hasSameLabels = (pod: Stored<Pod>, old: Stored<Pod>): boolean => {
  const [now, before] = [pod.metadata.labels ?? {}, old.metadata.labels ?? {}]
  if (now === before) return true
  return Object.keys(now).length === Object.keys(before).length && hasLabels(now, before)
}

const findAffectedServices = (client: Client, event: WatchEvent<Pod>): string[] => {
  const { object, old } = event
  // A pod without an address is not an endpoint yet.
  if (ipOf(object) === '' && (old === undefined || ipOf(old) === '')) return []
  const isRelabelled = event.type === 'MODIFIED' && !hasSameLabels(object, event.old)
  if (event.type === 'MODIFIED' && !isRelabelled && hasSameEndpoint(object, event.old)) return []
  const keys: string[] = []
  for (const service of client.list(services, object.metadata.namespace)) {
    const { selector } = service.spec
    if (selector === undefined) continue
    if (
      hasLabels(object.metadata.labels, selector) ||
      (isRelabelled && hasLabels(event.old.metadata.labels, selector))
    )
      keys.push(keyOf(service))
  }
  return keys
}

export const watchingSelectedPods: Watch = watching(pods, (event, { client }) =>
  findAffectedServices(client, event),
)
