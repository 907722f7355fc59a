/** The controllers that look after the cluster itself rather than its workloads. */
import { createClusterRoleAggregation } from './cluster-role-aggregation.ts'
import type { Controller } from './define-controller.ts'
import { createEndpointSliceController } from './endpoint-slice.ts'
import { endpointSliceMirroringController } from './endpoint-slice-mirroring.ts'
import { createEndpointsController } from './endpoints.ts'
import { createEventExpiry } from './event-expiry.ts'
import { createGarbageCollector } from './garbage-collector.ts'
import { createHorizontalPodAutoscaler, type MetricsSource } from './horizontal-pod-autoscaler.ts'
import { createNamespaceLifecycle } from './namespace-lifecycle.ts'
import { nodeIpamController } from './node-ipam.ts'
import { createNodeLifecycle } from './node-lifecycle.ts'
import { nodeTtlController } from './node-ttl.ts'
import { createPersistentVolumeController, type PersistentVolumeOptions } from './persistent-volume.ts'
import { podDisruptionBudgetController } from './pod-disruption-budget.ts'
import { createPodGarbageCollector } from './pod-garbage-collector.ts'
import { createResourceQuotaController } from './resource-quota.ts'
import { createRootCaController } from './root-ca.ts'
import { serviceAccountController } from './service-account.ts'
import { createServiceAccountToken, type ServiceAccountTokenOptions } from './service-account-token.ts'
import { createTaintEviction } from './taint-eviction.ts'
import { volumeProtectionControllers } from './volume-protection.ts'

export interface ClusterControllersOptions {
  /** The authority's certificate, PEM: every namespace gets it. */
  rootCertificate: string
  /** What pods use, for autoscalers; without it they say that there is no metrics API. */
  metrics?: MetricsSource
  volumes?: PersistentVolumeOptions
  /** Fills Secrets of type `kubernetes.io/service-account-token`; without it they stay empty. */
  tokens?: ServiceAccountTokenOptions['tokens']
}

export const clusterControllers = ({
  rootCertificate,
  metrics,
  volumes,
  tokens,
}: ClusterControllersOptions): readonly Controller[] => [
  serviceAccountController,
  ...(tokens === undefined ? [] : [createServiceAccountToken({ rootCertificate, tokens })]),
  createRootCaController(rootCertificate),
  createClusterRoleAggregation(),
  nodeIpamController,
  nodeTtlController,
  createNodeLifecycle(),
  createTaintEviction(),
  createEndpointsController(),
  createEndpointSliceController(),
  endpointSliceMirroringController,
  createPersistentVolumeController(volumes),
  ...volumeProtectionControllers,
  podDisruptionBudgetController,
  createHorizontalPodAutoscaler(metrics),
  createResourceQuotaController(),
  createPodGarbageCollector(),
  createEventExpiry(),
  createNamespaceLifecycle(),
  createGarbageCollector(),
]
