/** The list of kinds that every cluster serves. Discovery, OpenAPI and RBAC are derived from it. */

import { clusterRoles } from './access/cluster-role.ts'
import { clusterRoleBindings } from './access/cluster-role-binding.ts'
import { roles } from './access/role.ts'
import { roleBindings } from './access/role-binding.ts'
import { serviceAccounts } from './access/service-account.ts'
import { horizontalPodAutoscalers } from './autoscaling/horizontal-pod-autoscaler.ts'
import { events } from './cluster/event.ts'
import { leases } from './cluster/lease.ts'
import { namespaces } from './cluster/namespace.ts'
import { nodes } from './cluster/node.ts'
import { configMaps } from './configuration/config-map.ts'
import { secrets } from './configuration/secret.ts'
import type { Kind } from './define-kind.ts'
import { customResourceDefinitions } from './extensions/custom-resource-definition.ts'
import { endpointSlices } from './network/endpoint-slice.ts'
import { endpoints } from './network/endpoints.ts'
import { ingresses } from './network/ingress.ts'
import { ingressClasses } from './network/ingress-class.ts'
import { networkPolicies } from './network/network-policy.ts'
import { services } from './network/service.ts'
import { pods } from './pods/pod.ts'
import { limitRanges } from './policy/limit-range.ts'
import { podDisruptionBudgets } from './policy/pod-disruption-budget.ts'
import { priorityClasses } from './policy/priority-class.ts'
import { resourceQuotas } from './policy/resource-quota.ts'
import { persistentVolumes } from './storage/persistent-volume.ts'
import { persistentVolumeClaims } from './storage/persistent-volume-claim.ts'
import { storageClasses } from './storage/storage-class.ts'
import { controllerRevisions } from './workloads/controller-revision.ts'
import { cronJobs } from './workloads/cron-job.ts'
import { daemonSets } from './workloads/daemon-set.ts'
import { deployments } from './workloads/deployment.ts'
import { jobs } from './workloads/job.ts'
import { podTemplates } from './workloads/pod-template.ts'
import { replicaSets } from './workloads/replica-set.ts'
import { replicationControllers } from './workloads/replication-controller.ts'
import { statefulSets } from './workloads/stateful-set.ts'

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
