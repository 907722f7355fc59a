/** Which services a fault in one pod hurts users through. */
import {
  type FaultTarget,
  type Impact,
  quantityValue,
  type SystemView,
  type WorkloadView,
} from '../spec/index.ts'

export interface Wanted {
  /** What the pod becomes. */
  readonly when: keyof Impact
  also?(workload: WorkloadView): boolean
}

/** Services of a single pod: where there are more, the others answer. */
export const singlePods = (system: SystemView, { when, also = () => true }: Wanted): FaultTarget[] =>
  system.workloads
    .filter((workload) => workload.replicas === 1 && also(workload))
    .filter(({ service }) => system.impactOf(service)[when].length > 0)
    .map(({ service }) => ({ service }))

/** Of the container that serves, in cores and bytes; without an end where nothing is said. */
export const limitOf = ({ podSpec }: WorkloadView, resource: 'cpu' | 'memory'): number =>
  quantityValue(podSpec.containers[0]?.resources?.limits?.[resource]) ?? Number.POSITIVE_INFINITY

/** Whether the container that serves has something mounted there. */
export const hasMount = ({ podSpec }: WorkloadView, path: string): boolean =>
  (podSpec.containers[0]?.volumeMounts ?? []).some(({ mountPath }) => mountPath === path)
