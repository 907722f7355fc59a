/** The controllers, and what runs them. */
import { cronJobController } from './cron-job.ts'
import { daemonSetController } from './daemon-set.ts'
import type { Controller } from './define-controller.ts'
import { deploymentController } from './deployment.ts'
import { jobController } from './job.ts'
import { replicaSetController } from './replica-set.ts'
import { replicationController } from './replication-controller.ts'
import { statefulSetController } from './stateful-set.ts'
import { ttlAfterFinishedController } from './ttl-after-finished.ts'

export { clusterControllers } from './cluster-controllers.ts'
export * from './define-controller.ts'
export type { MetricsSource } from './horizontal-pod-autoscaler.ts'
export type { PersistentVolumeOptions } from './persistent-volume.ts'
export * from './run-controllers.ts'

/** Those that make pods, or make what makes them. */
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
