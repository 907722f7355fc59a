/** The pod garbage collector: deletes pods of deleted nodes, excess terminal pods and terminating unassigned pods. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import {
  disruptionTarget,
  isPodTerminal,
  nodes,
  podCondition,
  pods,
  setPodCondition,
} from '#platform/kube/kinds'
import { fromTime, isNotFound, type Stored } from '#platform/kube/meta'
import { type Controller, type ControllerContext, defineController } from '../define-controller.ts'

const SWEEP = 'sweep'
const SWEEP_MS = 20_000
const ORPHAN_GRACE_MS = 40_000
const MAX_TERMINATED_PODS = 12_500
const ORPHANED = disruptionTarget('DeletionByPodGC', 'PodGC: node no longer exists')

/** Deletes a pod without a grace period. Marks it as Failed first, so that its owner can see the reason. */
const remove = ({ client, clock }: ControllerContext, pod: Stored<Pod>, isOrphaned: boolean): void => {
  const { namespace = '', name, uid } = pod.metadata
  try {
    if (!isPodTerminal(pod)) {
      const conditions =
        isOrphaned && podCondition(pod, ORPHANED.type)?.status !== 'True'
          ? setPodCondition(pod, ORPHANED, clock.now())
          : pod.status.conditions
      client.updateStatus(pods, {
        ...pod,
        status: { ...pod.status, phase: 'Failed', ...defined({ conditions }) },
      })
    }
    client.delete(pods, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const oldestFirst = (a: Stored<Pod>, b: Stored<Pod>): number =>
  fromTime(a.metadata.creationTimestamp) - fromTime(b.metadata.creationTimestamp) ||
  (a.metadata.name < b.metadata.name ? -1 : 1)

export interface PodGarbageCollectorOptions {
  /** Maximum number of terminal pods to keep. */
  maxTerminatedPods?: number
}

export const createPodGarbageCollector = ({
  maxTerminatedPods = MAX_TERMINATED_PODS,
}: PodGarbageCollectorOptions = {}): Controller => {
  /** By node name, the time at which the node was first found missing. */
  const missingSince = new Map<string, number>()

  const removeOrphans = (context: ControllerContext, all: readonly Stored<Pod>[]): void => {
    const now = context.clock.now()
    const known = new Set(context.client.list(nodes).map(({ metadata }) => metadata.name))
    const named = new Set(all.map(({ spec }) => spec.nodeName ?? '').filter((name) => name !== ''))
    for (const name of missingSince.keys()) if (known.has(name) || !named.has(name)) missingSince.delete(name)
    for (const name of named) if (!known.has(name) && !missingSince.has(name)) missingSince.set(name, now)
    for (const pod of all) {
      const since = missingSince.get(pod.spec.nodeName ?? '')
      if (since !== undefined && now - since >= ORPHAN_GRACE_MS) remove(context, pod, true)
    }
  }

  return defineController({
    name: 'pod-garbage-collector',
    user: 'system:serviceaccount:kube-system:pod-garbage-collector',
    watches: [],
    start({ requeue }) {
      requeue(SWEEP, SWEEP_MS)
    },
    reconcile(_, context) {
      context.requeue(SWEEP, SWEEP_MS)
      const all = context.client.list(pods)
      const ended = all.filter(isPodTerminal).sort(oldestFirst)
      for (const pod of ended.slice(0, Math.max(0, ended.length - maxTerminatedPods)))
        remove(context, pod, false)
      removeOrphans(context, all)
      for (const pod of all) {
        const { deletionTimestamp } = pod.metadata
        if (deletionTimestamp !== undefined && (pod.spec.nodeName ?? '') === '') remove(context, pod, false)
      }
    },
  })
}
