/** Lists the definitions that the embedded Kubernetes serves; the definitions that they refer to are added later. */

const KINDS: Record<string, readonly string[]> = {
  'core.v1': [
    'Binding', 'ConfigMap', 'Endpoints', 'Event', 'LimitRange', 'Namespace', 'Node', 'PersistentVolume',
    'PersistentVolumeClaim', 'Pod', 'PodTemplate', 'ReplicationController', 'ResourceQuota', 'Secret', 'Service',
    'ServiceAccount',
  ],
  'apps.v1': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'batch.v1': ['CronJob', 'Job'],
  'autoscaling.v1': ['HorizontalPodAutoscaler', 'Scale'],
  'autoscaling.v2': ['HorizontalPodAutoscaler'],
  'policy.v1': ['Eviction', 'PodDisruptionBudget'],
  'networking.v1': ['Ingress', 'IngressClass', 'NetworkPolicy'],
  'discovery.v1': ['EndpointSlice'],
  'events.v1': ['Event'],
  'coordination.v1': ['Lease'],
  'scheduling.v1': ['PriorityClass'],
  'storage.v1': ['StorageClass'],
  'rbac.v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'authentication.v1': ['SelfSubjectReview', 'TokenRequest', 'TokenReview'],
  'authorization.v1': [
    'LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview',
  ],
  'apiextensions.v1': ['CustomResourceDefinition'],
  'metrics.v1beta1': ['NodeMetrics', 'PodMetrics'],
} // biome-ignore format: a table

/** Other group versions in `x-kubernetes-group-version-kind` are dropped. */
export const SERVED_GROUP_VERSIONS: ReadonlySet<string> = new Set([
  '/v1',
  'apps/v1',
  'batch/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'policy/v1',
  'networking.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'coordination.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
  'rbac.authorization.k8s.io/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'metrics.k8s.io/v1beta1',
])

/** Whether a definition itself is served. All definitions of `meta/v1` are. */
export const isServed = (name: string): boolean => {
  if (name.includes('.pkg.apis.meta.v1.')) return true
  const [group, version, kind] = name.split('.').slice(-3)
  const kinds = KINDS[`${group}.${version}`]
  return kinds?.some((served) => kind === served || kind === `${served}List`) ?? false
}
