/** Objects of a system as they are, so that what a playbook does can be taken back. */
import { type ApiObject, isWorkOf, type KubeApi, type ResourceRef } from '../spec/index.ts'

interface Entry {
  readonly ref: ResourceRef
  readonly object: ApiObject
  /** A controller has made it, and makes another when it is gone. */
  readonly isOwned: boolean
}

export interface Snapshot {
  readonly namespace: string
  readonly objects: readonly Entry[]
  /** Deleted, but still there. */
  readonly going: readonly Entry[]
  readonly nodes: readonly ApiObject[]
}

const of = (apiVersion: string, ...plurals: string[]) => plurals.map((plural) => ({ apiVersion, plural }))

/** All that the account of an operator may write; those first on which others stand. */
const COLLECTIONS = [
  ...of('v1', 'configmaps', 'secrets', 'serviceaccounts', 'services', 'resourcequotas', 'limitranges'),
  ...of('v1', 'persistentvolumeclaims', 'endpoints'),
  ...of('apps/v1', 'deployments', 'statefulsets', 'daemonsets', 'replicasets'),
  ...of('v1', 'replicationcontrollers', 'pods'),
  ...of('batch/v1', 'jobs', 'cronjobs'),
  ...of('networking.k8s.io/v1', 'networkpolicies', 'ingresses'),
  ...of('autoscaling/v2', 'horizontalpodautoscalers'),
  ...of('policy/v1', 'poddisruptionbudgets'),
]

interface Owner {
  readonly kind: string
  readonly uid: string
  readonly controller?: boolean
}

/** Anybody can name an owner: only of one that is known, and whose controller makes such objects, is it the work. */
const isOwned = (object: ApiObject, known: ReadonlySet<unknown>): boolean =>
  ((object.metadata.ownerReferences ?? []) as readonly Owner[]).some(
    ({ kind, uid, controller }) => controller === true && isWorkOf(object, kind) && known.has(uid),
  )

const isGoing = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined

/** Kept by the cluster itself. */
const isKept = ({ kind, metadata }: ApiObject): boolean =>
  (kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt') ||
  (kind === 'ServiceAccount' && metadata.name === 'default')

/** Those of Services that select their pods are written by a controller. */
const isWritten = (object: ApiObject, all: readonly ApiObject[]): boolean =>
  object.kind === 'Endpoints' &&
  all.some(
    ({ kind, metadata, spec }) =>
      kind === 'Service' &&
      metadata.name === object.metadata.name &&
      Object.keys((spec as { selector?: object } | undefined)?.selector ?? {}).length > 0,
  )

/** Of a list the items have neither, in the API's own answer. */
const withType = (object: ApiObject, ref: ResourceRef, kind: string | undefined): ApiObject => ({
  ...object,
  apiVersion: object.apiVersion ?? ref.apiVersion,
  kind: object.kind ?? kind ?? ref.plural,
})

const list = async (api: KubeApi, ref: ResourceRef): Promise<ApiObject[]> => {
  try {
    return [...(await api.list(ref)).items]
  } catch (error) {
    // A cluster need not have every kind.
    if ((error as { code?: unknown }).code === 404) return []
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

/** With the rights of the laboratory: an agent's might not show all. */
export const snapshotObjects = async (
  api: KubeApi,
  namespace: string,
  earlier?: Snapshot,
): Promise<Snapshot> => {
  const lists = await Promise.all(
    COLLECTIONS.map(async (collection) => {
      const ref = { ...collection, namespace }
      const items = await list(api, ref)
      return items.map((item) => ({ ref, object: withType(item, ref, KINDS[ref.plural]) }))
    }),
  )
  const nodes = await list(api, { apiVersion: 'v1', plural: 'nodes' })
  const listed = lists.flat()
  const all = [...listed, ...(earlier?.objects ?? []), ...(earlier?.going ?? [])].map(({ object }) => object)
  // Owners that were deleted since take along what is theirs.
  const known = new Set(all.map(({ metadata }) => metadata.uid))
  const found = listed.map((entry) => ({ ...entry, isOwned: isOwned(entry.object, known) }))
  return {
    namespace,
    objects: found.filter(({ object }) => !isGoing(object) && !isKept(object) && !isWritten(object, all)),
    going: found.filter(({ object }) => isGoing(object)),
    nodes,
  }
}
