/** What a playbook has done harm to, as an operator would see it: workloads that were ready before it and do not become so again. */
import { type Clock, sleep } from '../kit/index.ts'
import type { ApiObject, KubeApi } from '../spec/index.ts'
import type { Snapshot } from './snapshot-objects.ts'

/** How long what a playbook has rolled out may take to become ready. */
const PATIENCE_MS = 30_000
const LOOK_MS = 1000

interface Status {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly readyReplicas?: number
  readonly updatedReplicas?: number
  readonly desiredNumberScheduled?: number
  readonly numberReady?: number
  readonly updatedNumberScheduled?: number
}

const WORKLOADS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet']

const wantedBy = ({ kind, spec, status = {} }: ApiObject): number =>
  kind === 'DaemonSet'
    ? ((status as Status).desiredNumberScheduled ?? 0)
    : ((spec as { replicas?: number } | undefined)?.replicas ?? 1)

/** Whether all pods that it wants, and it wants some, are ready and as it wants them. */
const isReady = (workload: ApiObject): boolean => {
  const { kind, metadata, status = {} } = workload
  const seen = status as Status
  if (Number(metadata.generation ?? 0) > (seen.observedGeneration ?? 0)) return false
  const wanted = wantedBy(workload)
  const figures =
    kind === 'DaemonSet'
      ? [seen.numberReady ?? 0, seen.updatedNumberScheduled ?? wanted]
      : [seen.readyReplicas ?? 0, seen.updatedReplicas ?? wanted, seen.replicas ?? 0]
  return wanted > 0 && figures.every((figure) => figure === wanted)
}

export interface HarmOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly patienceMs?: number
}

type Entry = Snapshot['objects'][number]

/** What is gone or wants no pod will not become ready by being waited for. */
const lookAt = async (api: KubeApi, { ref, object }: Entry): Promise<'ready' | 'late' | 'lost'> => {
  try {
    const now = { ...(await api.get({ ...ref, name: object.metadata.name })), kind: object.kind }
    if (isReady(now)) return 'ready'
    return wantedBy(now) === 0 ? 'lost' : 'late'
  } catch (error) {
    return (error as { code?: unknown }).code === 404 ? 'lost' : 'late'
  }
}

/** Names those that were ready in the snapshot and are gone, want no pod, or are not ready in time; where time is up, of the latter none. */
export const findHarm = async (
  api: KubeApi,
  { objects }: Snapshot,
  { clock, signal, patienceMs = PATIENCE_MS }: HarmOptions,
): Promise<readonly string[]> => {
  let left = objects.filter(({ object }) => WORKLOADS.includes(object.kind) && isReady(object))
  for (const until = clock.now() + patienceMs; ; await sleep(clock, LOOK_MS)) {
    const looks = await Promise.all(left.map(async (entry) => ({ entry, look: await lookAt(api, entry) })))
    const lost = looks.filter(({ look }) => look === 'lost').map(({ entry }) => entry)
    left = looks.filter(({ look }) => look !== 'ready').map(({ entry }) => entry)
    const isOver = left.length === lost.length || clock.now() >= until
    if (isOver || signal.aborted)
      return (isOver ? left : lost).map(({ object }) => `${object.kind}/${object.metadata.name}`)
  }
}
