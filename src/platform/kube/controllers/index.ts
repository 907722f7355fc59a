/** Public interface of the controllers and their runner. */

import { ttlAfterFinishedController } from './cleanup/ttl-after-finished.ts'
import type { Controller } from './define-controller.ts'
import { cronJobController } from './workloads/cron-job.ts'
import { daemonSetController } from './workloads/daemon-set.ts'
import { deploymentController } from './workloads/deployment.ts'
import { jobController } from './workloads/job.ts'
import { replicaSetController } from './workloads/replica-set.ts'
import { replicationController } from './workloads/replication-controller.ts'
import { statefulSetController } from './workloads/stateful-set.ts'

export { clusterControllers } from './cluster-controllers.ts'
export * from './define-controller.ts'
export * from './run-controllers.ts'
export type { MetricsSource } from './scaling/horizontal-pod-autoscaler.ts'
export type { PersistentVolumeOptions } from './storage/persistent-volume.ts'

/** The controllers that manage workloads: pods, and the objects that create pods. */
export const workloadControllers: readonly Controller[] = [
  deploymentController,
  replicaSetController,
  replicationController,
  statefulSetController,
  daemonSetController,
  jobController,
  ttlAfterFinishedController,
  cronJobController,
]
