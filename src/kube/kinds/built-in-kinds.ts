/** The list of kinds that every cluster serves. */

import { clusterRoles } from './cluster-role.ts'
import { clusterRoleBindings } from './cluster-role-binding.ts'
import { configMaps } from './config-map.ts'
import { controllerRevisions } from './controller-revision.ts'
import { cronJobs } from './cron-job.ts'
import { customResourceDefinitions } from './custom-resource-definition.ts'
import { daemonSets } from './daemon-set.ts'
import type { Kind } from './define-kind.ts'
import { deployments } from './deployment.ts'
import { endpointSlices } from './endpoint-slice.ts'
import { endpoints } from './endpoints.ts'
import { events } from './event.ts'
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts'
import { ingresses } from './ingress.ts'
import { ingressClasses } from './ingress-class.ts'
import { jobs } from './job.ts'
import { leases } from './lease.ts'
import { limitRanges } from './limit-range.ts'
import { namespaces } from './namespace.ts'
import { networkPolicies } from './network-policy.ts'
import { nodes } from './node.ts'
import { persistentVolumes } from './persistent-volume.ts'
import { persistentVolumeClaims } from './persistent-volume-claim.ts'
import { pods } from './pod.ts'
import { podDisruptionBudgets } from './pod-disruption-budget.ts'
import { podTemplates } from './pod-template.ts'
import { priorityClasses } from './priority-class.ts'
import { replicaSets } from './replica-set.ts'
import { replicationControllers } from './replication-controller.ts'
import { resourceQuotas } from './resource-quota.ts'
import { roles } from './role.ts'
import { roleBindings } from './role-binding.ts'
import { secrets } from './secret.ts'
import { services } from './service.ts'
import { serviceAccounts } from './service-account.ts'
import { statefulSets } from './stateful-set.ts'
import { storageClasses } from './storage-class.ts'

export const builtInKinds: readonly Kind[] = [
  namespaces,
  nodes,
  pods,
  services,
  endpoints,
  endpointSlices,
  configMaps,
  secrets,
  serviceAccounts,
  events,
  persistentVolumes,
  persistentVolumeClaims,
  storageClasses,
  resourceQuotas,
  limitRanges,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  controllerRevisions,
  replicationControllers,
  podTemplates,
  jobs,
  cronJobs,
  horizontalPodAutoscalers,
  podDisruptionBudgets,
  networkPolicies,
  ingresses,
  ingressClasses,
  leases,
  priorityClasses,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  customResourceDefinitions,
]
