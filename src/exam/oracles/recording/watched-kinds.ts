/** The kinds of objects that an episode records. */
import type { ApiObject, ResourceRef } from '#spec'

export type WatchedKind = Pick<ResourceRef, 'apiVersion' | 'plural'>

const chaosKind = (plural: string): WatchedKind => ({ apiVersion: 'chaos-mesh.org/v1alpha1', plural })

/** The recorded kinds, by scope. A cluster that does not serve a kind answers 404, which counts as no objects. */
export const WATCHED_KINDS: {
  /** In the system's namespace. */
  readonly system: readonly WatchedKind[]
  /** In the laboratory's namespace. */
  readonly laboratory: readonly WatchedKind[]
  /** Cluster-scoped. */
  readonly cluster: readonly WatchedKind[]
} = {
  system: [
    { apiVersion: 'apps/v1', plural: 'deployments' },
    { apiVersion: 'apps/v1', plural: 'statefulsets' },
    { apiVersion: 'apps/v1', plural: 'daemonsets' },
    { apiVersion: 'apps/v1', plural: 'replicasets' },
    { apiVersion: 'v1', plural: 'replicationcontrollers' },
    { apiVersion: 'v1', plural: 'pods' },
    { apiVersion: 'v1', plural: 'services' },
    { apiVersion: 'v1', plural: 'endpoints' },
    { apiVersion: 'v1', plural: 'configmaps' },
    { apiVersion: 'v1', plural: 'secrets' },
    { apiVersion: 'v1', plural: 'persistentvolumeclaims' },
    { apiVersion: 'v1', plural: 'resourcequotas' },
    { apiVersion: 'v1', plural: 'limitranges' },
    { apiVersion: 'v1', plural: 'serviceaccounts' },
    { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' },
    { apiVersion: 'networking.k8s.io/v1', plural: 'ingresses' },
    { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers' },
    { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' },
    { apiVersion: 'rbac.authorization.k8s.io/v1', plural: 'roles' },
    { apiVersion: 'rbac.authorization.k8s.io/v1', plural: 'rolebindings' },
    { apiVersion: 'batch/v1', plural: 'jobs' },
    { apiVersion: 'batch/v1', plural: 'cronjobs' },
  ],
  laboratory: [
    chaosKind('stresschaos'),
    chaosKind('networkchaos'),
    chaosKind('iochaos'),
    chaosKind('podchaos'),
    chaosKind('dnschaos'),
    chaosKind('timechaos'),
  ],
  cluster: [
    // Policies select namespaces by their labels.
    { apiVersion: 'v1', plural: 'namespaces' },
    { apiVersion: 'v1', plural: 'nodes' },
    { apiVersion: 'v1', plural: 'persistentvolumes' },
    { apiVersion: 'admissionregistration.k8s.io/v1', plural: 'validatingwebhookconfigurations' },
    { apiVersion: 'admissionregistration.k8s.io/v1', plural: 'mutatingwebhookconfigurations' },
  ],
}

/** A ConfigMap that a controller writes into every namespace. */
const ROOT_CERTIFICATE = 'kube-root-ca.crt'

/** Whether an object of a watched kind is recorded. */
export const isWatched = (object: ApiObject): boolean =>
  !(object.kind === 'ConfigMap' && object.metadata.name === ROOT_CERTIFICATE)
