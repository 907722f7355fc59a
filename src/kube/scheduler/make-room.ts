/** Sends the victims of preemption away. */
import { pods } from '../kinds/index.ts'
import type { Client, EventRecorder } from '../ports/index.ts'
import type { PodInfo } from './pod-info.ts'
import type { Candidate } from './preemption.ts'
import { clearNomination, writePreempted } from './scheduling-condition.ts'

/** Deletes the victims, and takes back what less important pods (of `nominated`) were promised on the node. */
export const makeRoom = (
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
  for (const other of nominated)
    if (other.pod.status.nominatedNodeName === node.name && other.priority < priority)
      clearNomination(client, other.pod)
}
