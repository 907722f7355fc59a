/** Waits until all workloads, pods, Jobs and nodes of a cluster are ready. */
import { type Clock, sleep } from '#kit'
import {
  type Client,
  daemonSets,
  deployments,
  jobs,
  type KubeObject,
  nodes,
  pods,
  replicaSets,
  statefulSets,
} from '#platform/kube/simulated'
import { isControlPlaneTaint, RemediumError } from '#spec'
import { titleOf } from './title-of.ts'

const conditionOf = ({ status }: KubeObject, type: string): string | undefined =>
  status?.conditions?.find((condition: { type: string }) => condition.type === type)?.status

export const isPodReady = (pod: KubeObject): boolean =>
  pod.metadata.deletionTimestamp === undefined && conditionOf(pod, 'Ready') === 'True'

interface Progress {
  object: KubeObject
  desired: number
  ready: number
}

/** Counts pods instead of relying on the status alone, which may be outdated after a deletion. */
const progressOf = (
  client: Client,
  object: KubeObject,
  desired: number,
  owners: readonly string[],
): Progress => {
  const ownPods = owners.flatMap((uid) => client.ownedBy(pods, uid) as readonly KubeObject[])
  const isStatusCurrent = object.status.observedGeneration === object.metadata.generation
  const reportedReady = object.kind === 'DaemonSet' ? object.status.numberReady : object.status.readyReplicas
  const ready = ownPods.filter(isPodReady).length
  const isComplete = isStatusCurrent && ready === ownPods.length
  return { object, desired, ready: Math.min(ready, isComplete ? (reportedReady ?? 0) : desired - 1) }
}

const listWorkloadProgress = (client: Client): Progress[] => [
  ...client.list(deployments).map((object) =>
    progressOf(
      client,
      object as KubeObject,
      object.spec.replicas ?? 1,
      client.ownedBy(replicaSets, object.metadata.uid).map(({ metadata }) => metadata.uid),
    ),
  ),
  ...client
    .list(statefulSets)
    .map((object) =>
      progressOf(client, object as KubeObject, object.spec.replicas ?? 1, [object.metadata.uid]),
    ),
  ...client
    .list(daemonSets)
    .map((object) =>
      progressOf(client, object as KubeObject, object.status.desiredNumberScheduled ?? 0, [
        object.metadata.uid,
      ]),
    ),
]

/** Whether the node is ready and has no taints of the control plane. The taints follow the condition with a delay. */
const isNodeReady = (node: KubeObject): boolean =>
  conditionOf(node, 'Ready') === 'True' && !(node.spec.taints ?? []).some(isControlPlaneTaint)

/** Describes the workloads, nodes and standalone pods that are not ready, and the incomplete Jobs. */
export const listPending = (client: Client): string[] => {
  const unready = listWorkloadProgress(client).filter(({ desired, ready }) =>
    desired === 0 ? ready > 0 : ready !== desired,
  )
  const standalonePods = client
    .ownedBy(pods, '')
    .filter((pod) => !isPodReady(pod as KubeObject) && pod.status.phase !== 'Succeeded')
  const incompleteJobs = client
    .list(jobs)
    .filter((job) => conditionOf(job as KubeObject, 'Complete') !== 'True')
  const unreadyNodes = client.list(nodes).filter((node) => !isNodeReady(node as KubeObject))
  return [
    ...unready.map(
      ({ object, desired, ready }) => `${titleOf(object)} (${Math.max(0, ready)} of ${desired} ready)`,
    ),
    ...[...standalonePods, ...incompleteJobs, ...unreadyNodes].map((object) => titleOf(object as KubeObject)),
  ]
}

const POLL_MS = 10

export interface ReadinessOptions {
  clock: Clock
  timeoutMs: number
  signal?: AbortSignal
  /** Called each time the list of pending objects changes. */
  onProgress?(pending: readonly string[]): void
}

/** Resolves when nothing is pending. */
export const waitUntilReady = async (
  client: Client,
  { clock, timeoutMs, signal, onProgress }: ReadinessOptions,
): Promise<void> => {
  const deadline = clock.now() + timeoutMs
  let reported = ''
  for (;;) {
    signal?.throwIfAborted()
    const pending = listPending(client)
    if (pending.length === 0) return
    if (pending.join() !== reported) onProgress?.(pending)
    reported = pending.join()
    if (clock.now() > deadline) {
      throw new RemediumError('not-ready', `Not ready after ${timeoutMs / 1000} s: ${pending.join(', ')}.`, {
        hint: 'Run "kubectl describe" to see why.',
      })
    }
    await sleep(clock, POLL_MS)
  }
}
