/** The controllers that look after the cluster itself rather than its workloads. */
import type { Controller } from './define-controller.ts'
import { createEndpointSliceController } from './endpoint-slice.ts'
import { endpointSliceMirroringController } from './endpoint-slice-mirroring.ts'
import { createEndpointsController } from './endpoints.ts'
import { eventExpiryController } from './event-expiry.ts'
import { createGarbageCollector } from './garbage-collector.ts'
import { createNamespaceLifecycle } from './namespace-lifecycle.ts'
import { podDisruptionBudgetController } from './pod-disruption-budget.ts'
import { createResourceQuotaController } from './resource-quota.ts'
import { createRootCaController } from './root-ca.ts'
import { serviceAccountController } from './service-account.ts'

export interface ClusterControllersOptions {
  /** The authority's certificate, PEM: every namespace gets it. */
  rootCertificate: string
}

export const clusterControllers = ({ rootCertificate }: ClusterControllersOptions): readonly Controller[] => [
  serviceAccountController,
  createRootCaController(rootCertificate),
  createEndpointsController(),
  createEndpointSliceController(),
  endpointSliceMirroringController,
  podDisruptionBudgetController,
  createResourceQuotaController(),
  eventExpiryController,
  createNamespaceLifecycle(),
  createGarbageCollector(),
]
