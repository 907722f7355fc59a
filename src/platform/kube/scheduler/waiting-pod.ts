/** Decides which pods this scheduler must place. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'

const SCHEDULER_NAME = 'default-scheduler'

export const hasNode = (pod: Stored<Pod>): boolean =>
  pod.spec.nodeName !== undefined && pod.spec.nodeName !== ''

/** Reports whether the pod is pending, ungated and assigned to this scheduler. */
export const isWaiting = (pod: Stored<Pod>): boolean =>
  !hasNode(pod) &&
  (pod.spec.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
  (pod.spec.schedulingGates ?? []).length === 0 &&
  pod.metadata.deletionTimestamp === undefined &&
  !isPodTerminal(pod)
