/** Finds workloads that were ready before a playbook and do not become ready again. */
import { type Clock, sleep } from '#kit'
import { type ApiObject, isNotFound, type KubeApi, replicasOf, viewAs } from '#spec'
import type { Snapshot } from './snapshot-objects.ts'

/** How long a rollout may take. */
const TIMEOUT_MS = 30_000
const POLL_MS = 1000

const WORKLOADS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet']

const desiredPods = (workload: ApiObject): number =>
  workload.kind === 'DaemonSet'
    ? (viewAs('DaemonSet', workload).status?.desiredNumberScheduled ?? 0)
    : replicasOf(workload)

/** Whether pods are desired, and all of them are updated and ready. */
const isRolledOut = (workload: ApiObject): boolean => {
  const { metadata = {}, status = {} } = viewAs('Deployment', workload)
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) return false
  const desired = desiredPods(workload)
  const daemons = viewAs('DaemonSet', workload).status
  const counts =
    workload.kind === 'DaemonSet'
      ? [daemons?.numberReady ?? 0, daemons?.updatedNumberScheduled ?? desired]
      : [status.readyReplicas ?? 0, status.updatedReplicas ?? desired, status.replicas ?? 0]
  return desired > 0 && counts.every((count) => count === desired)
}

export interface HarmOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

type Entry = Snapshot['objects'][number]

/** `lost`: deleted or scaled to zero, so waiting does not help. */
const checkWorkload = async (api: KubeApi, { ref, object }: Entry): Promise<'ready' | 'late' | 'lost'> => {
  try {
    const current = { ...(await api.get({ ...ref, name: object.metadata.name })), kind: object.kind }
    if (isRolledOut(current)) return 'ready'
    return desiredPods(current) === 0 ? 'lost' : 'late'
  } catch (error) {
    return isNotFound(error) ? 'lost' : 'late'
  }
}

/**
 * Returns the workloads that were ready in the snapshot and are now lost or not ready in time. If `signal`
 * aborts, returns only the lost ones.
 */
export const findHarm = async (
  api: KubeApi,
  { objects }: Snapshot,
  { clock, signal, timeoutMs = TIMEOUT_MS }: HarmOptions,
): Promise<readonly string[]> => {
  let pending = objects.filter(({ object }) => WORKLOADS.includes(object.kind) && isRolledOut(object))
  for (const deadline = clock.now() + timeoutMs; ; await sleep(clock, POLL_MS)) {
    const states = await Promise.all(
      pending.map(async (entry) => ({ entry, state: await checkWorkload(api, entry) })),
    )
    const lost = states.filter(({ state }) => state === 'lost').map(({ entry }) => entry)
    pending = states.filter(({ state }) => state !== 'ready').map(({ entry }) => entry)
    const isOver = pending.length === lost.length || clock.now() >= deadline
    if (isOver || signal.aborted)
      return (isOver ? pending : lost).map(({ object }) => `${object.kind}/${object.metadata.name}`)
  }
}
