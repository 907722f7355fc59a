/** Which pods are this scheduler's to place. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'

const NAME = 'default-scheduler'

export const hasNode = (pod: Stored<Pod>): boolean =>
  pod.spec.nodeName !== undefined && pod.spec.nodeName !== ''

/** Whether the pod is to be placed now. */
export const isWaiting = (pod: Stored<Pod>): boolean =>
  !hasNode(pod) &&
  (pod.spec.schedulerName ?? NAME) === NAME &&
  (pod.spec.schedulingGates ?? []).length === 0 &&
  pod.metadata.deletionTimestamp === undefined &&
  !isPodTerminal(pod)
