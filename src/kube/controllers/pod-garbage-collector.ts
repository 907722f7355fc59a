/** The controller that removes pods nobody will ever remove: of lost nodes, ended too many, or never placed. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import {
  disruptionTarget,
  isPodTerminal,
  nodes,
  podCondition,
  pods,
  putPodCondition,
} from '../kinds/index.ts'
import { fromTime, isNotFound, type Stored } from '../meta/index.ts'
import { type Controller, type ControllerContext, defineController } from './define-controller.ts'

const SWEEP = 'sweep'
const SWEEP_MS = 20_000
const QUARANTINE_MS = 40_000
const ENDED_PODS = 12_500
const ORPHANED = disruptionTarget('DeletionByPodGC', 'PodGC: node no longer exists')

/** Kills a pod in the API: it is marked as ended first, so that whoever owns it learns why. */
const remove = ({ client, clock }: ControllerContext, pod: Stored<Pod>, orphaned: boolean): void => {
  const { namespace = '', name, uid } = pod.metadata
  try {
    if (!isPodTerminal(pod)) {
      const conditions =
        orphaned && podCondition(pod, ORPHANED.type)?.status !== 'True'
          ? putPodCondition(pod, ORPHANED, clock.now())
          : pod.status.conditions
      client.updateStatus(pods, {
        ...pod,
        status: { ...pod.status, phase: 'Failed', ...(conditions === undefined ? {} : { conditions }) },
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
  /** How many ended pods are kept. */
  endedPods?: number
}

export const createPodGarbageCollector = ({
  endedPods = ENDED_PODS,
}: PodGarbageCollectorOptions = {}): Controller => {
  /** Since when pods name a node that is not there. */
  const missing = new Map<string, number>()

  const removeOrphans = (context: ControllerContext, all: readonly Stored<Pod>[]): void => {
    const now = context.clock.now()
    const known = new Set(context.client.list(nodes).map(({ metadata }) => metadata.name))
    const named = new Set(all.map(({ spec }) => spec.nodeName ?? '').filter((name) => name !== ''))
    for (const name of missing.keys()) if (known.has(name) || !named.has(name)) missing.delete(name)
    for (const name of named) if (!known.has(name) && !missing.has(name)) missing.set(name, now)
    for (const pod of all) {
      const since = missing.get(pod.spec.nodeName ?? '')
      if (since !== undefined && now - since >= QUARANTINE_MS) remove(context, pod, true)
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
      for (const pod of ended.slice(0, Math.max(0, ended.length - endedPods))) remove(context, pod, false)
      removeOrphans(context, all)
      for (const pod of all) {
        const { deletionTimestamp } = pod.metadata
        if (deletionTimestamp !== undefined && (pod.spec.nodeName ?? '') === '') remove(context, pod, false)
      }
    },
  })
}
