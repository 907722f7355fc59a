/** Whether a workload has the pods it is meant to have, ready and of its newest template. */
import type { ApiObject } from '../spec/index.ts'

const WORKLOADS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet']

export const isWorkload = ({ kind }: ApiObject): boolean => WORKLOADS.includes(kind)

interface WorkloadStatus {
  readonly replicas?: number
  readonly readyReplicas?: number
  readonly updatedReplicas?: number
  readonly observedGeneration?: number
  readonly desiredNumberScheduled?: number
  readonly numberReady?: number
}

/** Older records have huge objects without their spec. */
export const replicasOf = ({ spec }: ApiObject): number =>
  (spec as { replicas?: number } | undefined)?.replicas ?? 1

export const readyPodsOf = ({ status }: ApiObject): number => {
  const { readyReplicas, numberReady } = (status ?? {}) as WorkloadStatus
  return readyReplicas ?? numberReady ?? 0
}

/** Nobody is on the way: no pod of an older template, none that is not ready. */
export const isSettled = (workload: ApiObject): boolean => {
  const status = (workload.status ?? {}) as WorkloadStatus
  const generation = workload.metadata.generation as number | undefined
  if (generation !== undefined && (status.observedGeneration ?? 0) < generation) return false
  if (workload.kind === 'DaemonSet') return (status.numberReady ?? 0) >= (status.desiredNumberScheduled ?? 0)
  const wanted = replicasOf(workload)
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status
  return replicas === wanted && readyReplicas === wanted && updatedReplicas === wanted
}
