/** The user-facing roles; admin, edit and view aggregate the rules of labelled roles. */
import type { RoleTable } from './role-table.ts'

export const userRoles: RoleTable = {
  'cluster-admin': ['* * *', '* *'],
  'system:aggregate-to-admin': [
    'create authorization.k8s.io localsubjectaccessreviews',
    'manage rbac.authorization.k8s.io rolebindings,roles',
  ],
  'system:aggregate-to-edit': [
    'read core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy',
    'impersonate core serviceaccounts',
    'write core pods,pods/attach,pods/exec,pods/portforward,pods/proxy',
    'create core pods/eviction',
    'write core configmaps,events,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy',
    'create core serviceaccounts/token',
    'write apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale',
    'write autoscaling horizontalpodautoscalers',
    'write batch cronjobs,jobs',
    'write extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale',
    'write policy poddisruptionbudgets',
    'write networking.k8s.io ingresses,networkpolicies',
    'manage coordination.k8s.io leases',
  ],
  'system:aggregate-to-view': [
    'read core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status',
    'read core bindings,events,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status',
    'read core namespaces',
    'read discovery.k8s.io endpointslices',
    'read apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status',
    'read autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status',
    'read batch cronjobs,cronjobs/status,jobs,jobs/status',
    'read extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale',
    'read policy poddisruptionbudgets,poddisruptionbudgets/status',
    'read networking.k8s.io ingresses,ingresses/status,networkpolicies',
  ],
  // Installed by the metrics server, whose API is served here too.
  'system:aggregated-metrics-reader': ['read metrics.k8s.io pods,nodes'],
}

/** The roles that admin, edit and view aggregate by label; `admin` includes `edit`. */
export const aggregations: Readonly<Record<string, readonly string[]>> = {
  admin: ['edit', 'system:aggregate-to-admin', 'system:aggregated-metrics-reader'],
  edit: ['system:aggregate-to-edit', 'system:aggregated-metrics-reader', 'view'],
  view: ['system:aggregate-to-view', 'system:aggregated-metrics-reader'],
}
