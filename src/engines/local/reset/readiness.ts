/** What in a cluster is not Ready yet. */
import { type Clock, sleep } from '../../../kit/index.ts'
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
} from '../../../kube/index.ts'
import { isControlPlaneTaint, RemediumError } from '../../../spec/index.ts'

type Pod = KubeObject

const conditionOf = ({ status }: KubeObject, type: string): string | undefined =>
  status?.conditions?.find((condition: { type: string }) => condition.type === type)?.status

export const isPodReady = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined && conditionOf(pod, 'Ready') === 'True'

const nameOf = ({ kind, metadata }: KubeObject): string =>
  metadata.namespace === undefined
    ? `${kind} ${metadata.name}`
    : `${kind} ${metadata.namespace}/${metadata.name}`

interface Progress {
  object: KubeObject
  wanted: number
  ready: number
}

/** Pods are counted themselves: a status may be older than the last deletion. */
const progressOf = (
  client: Client,
  object: KubeObject,
  wanted: number,
  owners: readonly string[],
): Progress => {
  const own = owners.flatMap((uid) => client.ownedBy(pods, uid) as readonly Pod[])
  const current = object.status.observedGeneration === object.metadata.generation
  const extra = own.length - own.filter(isPodReady).length
  const told = object.kind === 'DaemonSet' ? object.status.numberReady : object.status.readyReplicas
  const ready = own.filter(isPodReady).length
  return {
    object,
    wanted,
    ready: current && extra === 0 ? Math.min(ready, told ?? 0) : Math.min(ready, wanted - 1),
  }
}

const workloads = (client: Client): Progress[] => [
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

/** Ready, and free of the taints by which the cluster tells of a node's state: they come and go a little later. */
const isNodeReady = (node: KubeObject): boolean =>
  conditionOf(node, 'Ready') === 'True' && !(node.spec.taints ?? []).some(isControlPlaneTaint)

/** What is awaited, in words; nothing when all workloads, nodes and single pods are Ready and all Jobs done. */
export const pendingWork = (client: Client): string[] => {
  const unready = workloads(client).filter(({ wanted, ready }) =>
    wanted === 0 ? ready > 0 : ready !== wanted,
  )
  const single = client
    .ownedBy(pods, '')
    .filter((pod) => !isPodReady(pod as KubeObject) && pod.status.phase !== 'Succeeded')
  const open = client.list(jobs).filter((job) => conditionOf(job as KubeObject, 'Complete') !== 'True')
  const down = client.list(nodes).filter((node) => !isNodeReady(node as KubeObject))
  return [
    ...unready.map(
      ({ object, wanted, ready }) => `${nameOf(object)} (${Math.max(0, ready)} of ${wanted} ready)`,
    ),
    ...[...single, ...open, ...down].map((object) => nameOf(object as KubeObject)),
  ]
}

const PAUSE_MS = 10

export interface Patience {
  clock: Clock
  timeoutMs: number
  signal?: AbortSignal
  /** Told each time that something else is awaited. */
  onProgress?(pending: readonly string[]): void
}

/** Resolves when nothing is pending any more. */
export const untilReady = async (
  client: Client,
  { clock, timeoutMs, signal, onProgress }: Patience,
): Promise<void> => {
  const deadline = clock.now() + timeoutMs
  let told = ''
  for (;;) {
    signal?.throwIfAborted()
    const pending = pendingWork(client)
    if (pending.length === 0) return
    if (pending.join() !== told) onProgress?.(pending)
    told = pending.join()
    if (clock.now() > deadline) {
      throw new RemediumError(
        'not-ready',
        `After ${timeoutMs / 1000} s these are not ready: ${pending.join(', ')}.`,
        {
          hint: 'See "kubectl describe" for why.',
        },
      )
    }
    await sleep(clock, PAUSE_MS)
  }
}
