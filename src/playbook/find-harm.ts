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

/** Whether all pods that it wants, and it wants some, are ready and as it wants them. */
const isReady = ({ kind, metadata, spec, status = {} }: ApiObject): boolean => {
  const seen = status as Status
  if (Number(metadata.generation ?? 0) > (seen.observedGeneration ?? 0)) return false
  const wanted =
    kind === 'DaemonSet'
      ? (seen.desiredNumberScheduled ?? 0)
      : ((spec as { replicas?: number } | undefined)?.replicas ?? 1)
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

/** Names those that were ready in the snapshot and are gone, want no pod, or are not ready in time; nothing where time is up. */
export const findHarm = async (
  api: KubeApi,
  { objects }: Snapshot,
  { clock, signal, patienceMs = PATIENCE_MS }: HarmOptions,
): Promise<readonly string[]> => {
  let left = objects.filter(({ object }) => WORKLOADS.includes(object.kind) && isReady(object))
  for (const until = clock.now() + patienceMs; ; await sleep(clock, LOOK_MS)) {
    const looked = await Promise.all(
      left.map(async (entry) => {
        const { ref, object } = entry
        const now = await api.get({ ...ref, name: object.metadata.name }).catch(() => undefined)
        return now !== undefined && isReady({ ...now, kind: object.kind }) ? [] : [entry]
      }),
    )
    left = looked.flat()
    if (signal.aborted) return []
    if (left.length === 0 || clock.now() >= until)
      return left.map(({ object }) => `${object.kind}/${object.metadata.name}`)
  }
}
