/** Takes a snapshot of the objects of a system, so that the changes of a playbook can be rolled back. */
import {
  type ApiObject,
  isCreatedByController,
  isNotFound,
  isTerminating,
  type KubeApi,
  ownersOf,
  type ResourceRef,
  viewAs,
} from '#spec'

interface Entry {
  readonly ref: ResourceRef
  readonly object: ApiObject
  /** Whether a controller created the object, and recreates it if it is deleted. */
  readonly isOwned: boolean
}

export interface Snapshot {
  readonly namespace: string
  readonly objects: readonly Entry[]
  /** Objects that are being deleted. */
  readonly terminating: readonly Entry[]
  readonly nodes: readonly ApiObject[]
}

const resources = (apiVersion: string, ...plurals: string[]) =>
  plurals.map((plural) => ({ apiVersion, plural }))

/** All resources that an agent may write, dependencies first. */
const COLLECTIONS = [
  ...resources('v1', 'configmaps', 'secrets', 'serviceaccounts', 'services', 'resourcequotas', 'limitranges'),
  ...resources('v1', 'persistentvolumeclaims', 'endpoints'),
  ...resources('apps/v1', 'deployments', 'statefulsets', 'daemonsets', 'replicasets'),
  ...resources('v1', 'replicationcontrollers', 'pods'),
  ...resources('batch/v1', 'jobs', 'cronjobs'),
  ...resources('networking.k8s.io/v1', 'networkpolicies', 'ingresses'),
  ...resources('autoscaling/v2', 'horizontalpodautoscalers'),
  ...resources('policy/v1', 'poddisruptionbudgets'),
]

/** An owner reference can be forged: it counts only if the owner exists and its controller creates such objects. */
const isOwned = (object: ApiObject, knownUids: ReadonlySet<unknown>): boolean =>
  ownersOf(object).some(
    ({ kind, uid, controller }) =>
      controller === true && isCreatedByController(object, kind) && knownUids.has(uid),
  )

/** Objects that the cluster creates in every namespace. */
const isManagedByCluster = ({ kind, metadata }: ApiObject): boolean =>
  (kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt') ||
  (kind === 'ServiceAccount' && metadata.name === 'default')

/** Endpoints of Services with a selector are written by a controller. */
const isManagedEndpoints = (object: ApiObject, all: readonly ApiObject[]): boolean =>
  object.kind === 'Endpoints' &&
  all.some(
    (candidate) =>
      candidate.kind === 'Service' &&
      candidate.metadata.name === object.metadata.name &&
      Object.keys(viewAs('Service', candidate).spec?.selector ?? {}).length > 0,
  )

/** Adds apiVersion and kind, which the items of a list lack. */
const withType = (object: ApiObject, ref: ResourceRef, kind: string | undefined): ApiObject => ({
  ...object,
  apiVersion: object.apiVersion ?? ref.apiVersion,
  kind: object.kind ?? kind ?? ref.plural,
})

const listItems = async (api: KubeApi, ref: ResourceRef): Promise<ApiObject[]> => {
  try {
    return [...(await api.list(ref)).items]
  } catch (error) {
    // A cluster need not serve every kind.
    if (isNotFound(error)) return []
    throw error
  }
}

const KINDS: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  secrets: 'Secret',
  serviceaccounts: 'ServiceAccount',
  services: 'Service',
  resourcequotas: 'ResourceQuota',
  limitranges: 'LimitRange',
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  jobs: 'Job',
  cronjobs: 'CronJob',
  networkpolicies: 'NetworkPolicy',
  ingresses: 'Ingress',
  poddisruptionbudgets: 'PodDisruptionBudget',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  endpoints: 'Endpoints',
  replicasets: 'ReplicaSet',
  replicationcontrollers: 'ReplicationController',
  pods: 'Pod',
}

/** Uses the permissions of the laboratory, because those of an agent do not always cover all objects. */
export const snapshotObjects = async (
  api: KubeApi,
  namespace: string,
  earlier?: Snapshot,
): Promise<Snapshot> => {
  const lists = await Promise.all(
    COLLECTIONS.map(async (collection) => {
      const ref = { ...collection, namespace }
      const items = await listItems(api, ref)
      return items.map((item) => ({ ref, object: withType(item, ref, KINDS[ref.plural]) }))
    }),
  )
  const nodes = await listItems(api, { apiVersion: 'v1', plural: 'nodes' })
  const listed = lists.flat()
  const all = [...listed, ...(earlier?.objects ?? []), ...(earlier?.terminating ?? [])].map(
    ({ object }) => object,
  )
  // Includes owners that have been deleted since: the cluster garbage-collects their objects.
  const knownUids = new Set(all.map(({ metadata }) => metadata.uid))
  const entries = listed.map((entry) => ({ ...entry, isOwned: isOwned(entry.object, knownUids) }))
  return {
    namespace,
    objects: entries.filter(
      ({ object }) =>
        !isTerminating(object) && !isManagedByCluster(object) && !isManagedEndpoints(object, all),
    ),
    terminating: entries.filter(({ object }) => isTerminating(object)),
    nodes,
  }
}
