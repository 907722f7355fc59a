/** Evicts the victims of preemption. */
import { pods } from '#platform/kube/kinds'
import type { Client, EventRecorder } from '#platform/kube/ports'
import type { PodInfo } from './pod-info.ts'
import type { Candidate } from './preemption.ts'
import { clearNomination, writePreempted } from './scheduling-condition.ts'

/** Deletes the victims. Of the `nominated` pods, those with a lower priority lose their nomination to the node. */
export const evictVictims = (
  { client, events, now }: { client: Client; events: EventRecorder; now: number },
  { pod, priority }: PodInfo,
  { node, victims }: Candidate,
  nominated: readonly PodInfo[],
): void => {
  const message = `Preempted by pod ${pod.metadata.uid} on node ${node.name}`
  for (const victim of victims) {
    const { namespace, name, uid, deletionTimestamp } = victim.pod.metadata
    if (deletionTimestamp === undefined) {
      writePreempted(client, victim.pod, now)
      client.delete(pods, namespace!, name, { preconditions: { uid } })
    }
    events.record(victim.pod, 'Normal', 'Preempted', message)
  }
  for (const nominatedPod of nominated)
    if (nominatedPod.pod.status.nominatedNodeName === node.name && nominatedPod.priority < priority)
      clearNomination(client, nominatedPod.pod)
}
