/** One pod on every node that should have one, and none elsewhere. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady } from '../../kinds/index.ts'
import { fromTime, type Stored } from '../../meta/index.ts'
import { type ControllerContext, keyOf } from '../define-controller.ts'
import { isPodAvailable, isTerminating } from '../workload/pod-availability.ts'
import { REVISION_HASH } from './daemon-pod.ts'
import type { NodeFit } from './node-fit.ts'
import { type Changes, updateLimits } from './update-pods.ts'

export interface FittedNode extends NodeFit {
  node: string
  /** Oldest first. */
  pods: readonly Stored<Pod>[]
}

/** A daemon that fails at once is replaced, but not faster than this. */
const FAILED_POD_DELAY_MS = 1000

const untilReplaced = ({ metadata }: Stored<Pod>, now: number): number =>
  fromTime(metadata.creationTimestamp) + FAILED_POD_DELAY_MS - now

/** The pods that go when a node has more than one: all but the oldest, or what a surge has made superfluous. */
const superfluous = (
  set: Stored<DaemonSet>,
  running: Stored<Pod>[],
  hash: string,
  surge: number,
  now: number,
): Stored<Pod>[] => {
  if (running.length <= 1) return []
  if (surge === 0) return running.slice(1)
  const [fresh, ...freshRest] = running.filter((pod) => pod.metadata.labels?.[REVISION_HASH] === hash)
  const [old, ...oldRest] = running.filter((pod) => pod.metadata.labels?.[REVISION_HASH] !== hash)
  const extra = [...freshRest, ...oldRest]
  if (fresh === undefined || old === undefined) return extra
  const oldMayGo = !isPodReady(old) || isPodAvailable(fresh, set.spec.minReadySeconds ?? 0, now)
  return oldMayGo ? [...extra, old] : extra
}

export const keepPods = (
  context: ControllerContext,
  set: Stored<DaemonSet>,
  nodes: readonly FittedNode[],
  hash: string,
): Changes => {
  const now = context.clock.now()
  const { surge } = updateLimits(set, nodes.filter(({ shouldRun }) => shouldRun).length)
  const changes: Changes = { create: [], remove: [] }
  for (const { node, pods, shouldRun, mayStay } of nodes) {
    if (!mayStay) {
      changes.remove.push(...pods.filter((pod) => !isTerminating(pod)))
      continue
    }
    if (pods.length === 0) {
      if (shouldRun) changes.create.push(node)
      continue
    }
    const running: Stored<Pod>[] = []
    for (const pod of pods) {
      if (isTerminating(pod)) continue
      const { namespace, name } = pod.metadata
      if (pod.status.phase === 'Failed') {
        const wait = untilReplaced(pod, now)
        if (wait > 0) {
          context.requeue(keyOf(set), wait)
          continue
        }
        const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`
        context.events.record(set, 'Warning', 'FailedDaemonPod', message)
        changes.remove.push(pod)
      } else if (pod.status.phase === 'Succeeded') {
        const message = `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`
        context.events.record(set, 'Normal', 'SucceededDaemonPod', message)
        changes.remove.push(pod)
      } else running.push(pod)
    }
    changes.remove.push(...superfluous(set, running, hash, surge, now))
  }
  return changes
}
