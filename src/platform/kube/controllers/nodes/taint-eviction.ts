/** The taint eviction controller: deletes pods that do not, or no longer, tolerate the NoExecute taints of their node. */
import type { Node, Pod, Taint } from 'kubernetes-types/core/v1.d.ts'
import {
  disruptionTarget,
  nodes,
  podCondition,
  pods,
  setPodCondition,
  toleratesTaint,
} from '#platform/kube/kinds'
import { isNotFound, type Stored } from '#platform/kube/meta'
import {
  type Controller,
  type ControllerContext,
  defineController,
  keyOf,
  splitKey,
  watching,
} from '../define-controller.ts'

const REASON = 'TaintManagerEviction'
const DISRUPTED = disruptionTarget('DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint')

interface Eviction {
  uid: string
  /** The time at which the controller first observed the taint. */
  since: number
  dueAt: number
}

const noExecuteTaints = (node: Stored<Node> | undefined): Taint[] =>
  (node?.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

/** Returns how long the pod tolerates the taints, in milliseconds: 0 if not at all, Infinity if without limit. */
const tolerationMs = ({ spec }: Stored<Pod>, taints: readonly Taint[]): number => {
  let shortest = Number.POSITIVE_INFINITY
  for (const taint of taints) {
    // Only the first matching toleration counts.
    const first = spec.tolerations?.find((toleration) => toleratesTaint(toleration, taint))
    if (first === undefined) return 0
    const { tolerationSeconds } = first
    if (tolerationSeconds !== undefined) shortest = Math.min(shortest, Math.max(0, tolerationSeconds) * 1000)
  }
  return shortest
}

const evict = ({ client, clock, events }: ControllerContext, pod: Stored<Pod>): void => {
  const { namespace = '', name, uid } = pod.metadata
  events.record(pod, 'Normal', REASON, `Marking for deletion Pod ${keyOf(pod)}`)
  try {
    if (podCondition(pod, DISRUPTED.type)?.status !== 'True') {
      const conditions = setPodCondition(pod, DISRUPTED, clock.now())
      client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } })
    }
    client.delete(pods, namespace, name, { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

export const createTaintEviction = (): Controller => {
  const evictions = new Map<string, Eviction>()

  const cancel = ({ events }: ControllerContext, pod: Stored<Pod>): void => {
    if (!evictions.delete(keyOf(pod))) return
    events.record(pod, 'Normal', REASON, `Cancelling deletion of Pod ${keyOf(pod)}`)
  }

  /** Returns the time of the pod's eviction, or undefined if it may stay. */
  const scheduleEviction = (
    context: ControllerContext,
    pod: Stored<Pod>,
    taints: readonly Taint[],
  ): number | undefined => {
    const now = context.clock.now()
    const waitMs = tolerationMs(pod, taints)
    if (taints.length === 0 || waitMs === Number.POSITIVE_INFINITY) {
      cancel(context, pod)
      return undefined
    }
    const { uid } = pod.metadata
    const existing = evictions.get(keyOf(pod))
    const since = existing?.uid === uid ? existing.since : now
    evictions.set(keyOf(pod), { uid, since, dueAt: since + waitMs })
    return since + waitMs
  }

  return defineController({
    name: 'taint-eviction',
    user: 'system:serviceaccount:kube-system:node-controller',
    watches: [
      watching(nodes, ({ type, object, old }, { client }) => {
        const isTainted = noExecuteTaints(object).length > 0 || noExecuteTaints(old).length > 0
        if (!isTainted || (type === 'MODIFIED' && object.spec === old.spec)) return []
        const { name } = object.metadata
        return client
          .list(pods)
          .filter(({ spec }) => spec.nodeName === name)
          .map(keyOf)
      }),
      watching(pods, ({ object }, { client }) => {
        const key = keyOf(object)
        const { nodeName = '' } = object.spec
        const isTainted = nodeName !== '' && noExecuteTaints(client.get(nodes, '', nodeName)).length > 0
        return isTainted || evictions.has(key) ? [key] : []
      }),
    ],
    reconcile(key, context) {
      const { namespace, name } = splitKey(key)
      const pod = context.client.get(pods, namespace, name)
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) {
        evictions.delete(key)
        return
      }
      const dueAt = scheduleEviction(
        context,
        pod,
        noExecuteTaints(context.client.get(nodes, '', pod.spec.nodeName ?? '')),
      )
      if (dueAt === undefined) return
      const remainingMs = dueAt - context.clock.now()
      if (remainingMs > 0) {
        context.requeue(key, remainingMs)
        return
      }
      evict(context, pod)
      evictions.delete(key)
    },
  })
}
