/** Finds services in which a fault of one pod affects users. */
import { type FaultTarget, type Impact, quantityValue, type SystemView, type WorkloadView } from '#spec'

export interface TargetFilter {
  /** The effect of the fault on the pod. */
  readonly when: keyof Impact
  also?(workload: WorkloadView): boolean
}

/** Services with a single pod: with several, the others would answer. */
export const singlePods = (system: SystemView, { when, also = () => true }: TargetFilter): FaultTarget[] =>
  system.workloads
    .filter((workload) => workload.replicas === 1 && also(workload))
    .filter(({ service }) => system.impactOf(service)[when].length > 0)
    .map(({ service }) => ({ service }))

/** The limit of the main container in cores or bytes; infinite by default. */
export const limitOf = ({ podSpec }: WorkloadView, resource: 'cpu' | 'memory'): number =>
  quantityValue(podSpec.containers[0]?.resources?.limits?.[resource]) ?? Number.POSITIVE_INFINITY

/** Whether the main container has a mount at the path. */
export const hasMount = ({ podSpec }: WorkloadView, path: string): boolean =>
  (podSpec.containers[0]?.volumeMounts ?? []).some(({ mountPath }) => mountPath === path)
