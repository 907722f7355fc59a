/** Decides which pods to create and delete so that each eligible node runs exactly one. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady } from '#platform/kube/kinds'
import { fromTime, type Stored } from '#platform/kube/meta'
import { type ControllerContext, keyOf } from '../../define-controller.ts'
import { isPodAvailable, isTerminating } from '../replicas/pod-availability.ts'
import { REVISION_HASH } from './daemon-pod.ts'
import type { NodeFit } from './node-fit.ts'
import { type Changes, updateLimits } from './update-pods.ts'

export interface FittedNode extends NodeFit {
  node: string
  /** Oldest first. */
  pods: readonly Stored<Pod>[]
}

/** Minimum age of a failed pod before it is replaced. */
const FAILED_POD_DELAY_MS = 1000

const replacementDelay = ({ metadata }: Stored<Pod>, now: number): number =>
  fromTime(metadata.creationTimestamp) + FAILED_POD_DELAY_MS - now

interface DaemonState {
  set: Stored<DaemonSet>
  hash: string
  surge: number
  now: number
}

/** Returns the pods to delete on a node that has more than one: all but the oldest, or those replaced by a surge. */
const findExcess = ({ set, hash, surge, now }: DaemonState, running: Stored<Pod>[]): Stored<Pod>[] => {
  if (running.length <= 1) return []
  if (surge === 0) return running.slice(1)
  const [fresh, ...freshRest] = running.filter((pod) => pod.metadata.labels?.[REVISION_HASH] === hash)
  const [old, ...oldRest] = running.filter((pod) => pod.metadata.labels?.[REVISION_HASH] !== hash)
  const extra = [...freshRest, ...oldRest]
  if (fresh === undefined || old === undefined) return extra
  const canDeleteOld = !isPodReady(old) || isPodAvailable(fresh, set.spec.minReadySeconds ?? 0, now)
  return canDeleteOld ? [...extra, old] : extra
}

export const managePods = (
  context: ControllerContext,
  set: Stored<DaemonSet>,
  nodes: readonly FittedNode[],
  hash: string,
): Changes => {
  const now = context.clock.now()
  const { surge } = updateLimits(set, nodes.filter(({ shouldRun }) => shouldRun).length)
  const changes: Changes = { create: [], remove: [] }
  for (const { node, pods, shouldRun, canStay } of nodes) {
    if (!canStay) {
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
        const waitMs = replacementDelay(pod, now)
        if (waitMs > 0) {
          context.requeue(keyOf(set), waitMs)
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
    changes.remove.push(...findExcess({ set, hash, surge, now }, running))
  }
  return changes
}
