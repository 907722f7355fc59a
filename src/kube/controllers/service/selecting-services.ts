/** The watch of the endpoint controllers on pods: wakes the Services that a change may concern. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, isPodTerminal, pods, services } from '../../kinds/index.ts'
import { hasLabels, type Stored } from '../../meta/index.ts'
import type { Client, WatchEvent } from '../../ports/index.ts'
import { keyOf, type Watch, watching } from '../define-controller.ts'

const ipOf = ({ status }: Stored<Pod>): string => status.podIP ?? ''

/** Whether the pod looks the same to those who send it traffic. */
const looksTheSame = (pod: Stored<Pod>, old: Stored<Pod>): boolean =>
  ipOf(pod) === ipOf(old) &&
  isPodReady(pod) === isPodReady(old) &&
  isPodTerminal(pod) === isPodTerminal(old) &&
  (pod.metadata.deletionTimestamp === undefined) === (old.metadata.deletionTimestamp === undefined) &&
  pod.spec.nodeName === old.spec.nodeName

const sameLabels = (pod: Stored<Pod>, old: Stored<Pod>): boolean => {
  const [now, before] = [pod.metadata.labels ?? {}, old.metadata.labels ?? {}]
  if (now === before) return true
  return Object.keys(now).length === Object.keys(before).length && hasLabels(now, before)
}

const concerned = (client: Client, event: WatchEvent<Pod>): string[] => {
  const { object, old } = event
  // A pod without an address is nobody's endpoint yet.
  if (ipOf(object) === '' && (old === undefined || ipOf(old) === '')) return []
  const moved = event.type === 'MODIFIED' && !sameLabels(object, event.old)
  if (event.type === 'MODIFIED' && !moved && looksTheSame(object, event.old)) return []
  const keys: string[] = []
  for (const service of client.list(services, object.metadata.namespace)) {
    const { selector } = service.spec
    if (selector === undefined) continue
    if (
      hasLabels(object.metadata.labels, selector) ||
      (moved && hasLabels(event.old.metadata.labels, selector))
    )
      keys.push(keyOf(service))
  }
  return keys
}

export const watchingSelectedPods: Watch = watching(pods, (event, { client }) => concerned(client, event))
