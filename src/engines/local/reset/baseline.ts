/** How a cluster was when it was provisioned: every object that is nobody else's doing, and every pod. */
import {
  type Client,
  endpointSlices,
  endpoints,
  events,
  jobs,
  type Kind,
  type KubeObject,
  leases,
  nodes,
  pods,
  services,
} from '../../../kube/index.ts'
import { isWorkOf } from '../../../spec/index.ts'

export interface BaselineObject {
  readonly kind: Kind
  readonly object: KubeObject
}

/** What a pod was like; by it a pod that was restarted or edited is known. */
export interface BaselinePod {
  readonly uid: string
  readonly spec: unknown
  readonly labels: unknown
  readonly annotations: unknown
  readonly finalizers: unknown
  readonly containers: string
}

export interface Baseline {
  /** By `keyOf`, in the order in which they were made. */
  readonly objects: ReadonlyMap<string, BaselineObject>
  readonly nodes: ReadonlyMap<string, KubeObject>
  /** By uid. */
  pods: ReadonlyMap<string, BaselinePod>
  /** Uids of all there were, those of CronJobs too. */
  jobs: ReadonlySet<string>
  readonly events: ReadonlySet<string>
}

/** Of what changes by itself nothing can be said. */
const SELF_MADE = new Set([events.id, leases.id, nodes.id])
const PROVISIONED = 'pv.kubernetes.io/provisioned-by'
const MANAGED_SLICE = 'endpointslice.kubernetes.io/managed-by'

export const keyOf = (kind: Kind, { metadata }: KubeObject): string =>
  `${kind.id} ${metadata.namespace ?? ''}/${metadata.name}`

/** `Deployment shop/cart`, for people. */
export const titleOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`

/** A claim is given to its set, or to its pod, where it is to go with that. Agents may not name owners of claims. */
const isClaimOf = (kind: string, owner: string): boolean =>
  kind === 'PersistentVolumeClaim' && ['StatefulSet', 'Pod'].includes(owner)

/** Whether it is the work of the owner that it names. What names one that never was is collected, but not where nobody serves such owners. */
export const isControlled = (client: Client, object: KubeObject): boolean =>
  object.metadata.ownerReferences?.some(
    (owner) =>
      owner.controller === true &&
      client.kindOf(owner.apiVersion, owner.kind) !== undefined &&
      (isWorkOf(object, owner.kind) || isClaimOf(object.kind, owner.kind)),
  ) === true

/** What a controller of the cluster makes and keeps right: it follows from other objects. */
const isDerived = (client: Client, kind: Kind, object: KubeObject): boolean => {
  const { namespace = '', name, annotations, labels } = object.metadata
  if (isControlled(client, object)) return true
  if (kind.id === 'persistentvolumes') return annotations?.[PROVISIONED] !== undefined
  if (kind.id === endpointSlices.id) return labels?.[MANAGED_SLICE] !== undefined
  return kind.id === endpoints.id && client.get(services, namespace, name)?.spec.selector !== undefined
}

/** Everything that somebody made, of every kind that is served now. */
export const decidedObjects = (client: Client): BaselineObject[] =>
  client
    .kinds()
    .filter(({ id }) => !SELF_MADE.has(id))
    .flatMap((kind) =>
      (client.list(kind) as readonly KubeObject[])
        .filter((object) => !isDerived(client, kind, object))
        .map((object) => ({ kind, object })),
    )

const containersOf = ({ status }: KubeObject): string =>
  JSON.stringify(
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(
      ({ name, restartCount, containerID }) => [name, restartCount, containerID],
    ),
  )

export const toBaselinePod = (pod: KubeObject): BaselinePod => ({
  uid: pod.metadata.uid,
  spec: pod.spec,
  labels: pod.metadata.labels,
  annotations: pod.metadata.annotations,
  finalizers: pod.metadata.finalizers,
  containers: containersOf(pod),
})

export const podsNow = (client: Client): ReadonlyMap<string, BaselinePod> =>
  new Map(client.list(pods).map((pod) => [pod.metadata.uid, toBaselinePod(pod as KubeObject)]))

export const jobsNow = (client: Client): ReadonlySet<string> =>
  new Set(client.list(jobs).map(({ metadata }) => metadata.uid))

const byAge = (a: BaselineObject, b: BaselineObject): number =>
  Date.parse(a.object.metadata.creationTimestamp) - Date.parse(b.object.metadata.creationTimestamp)

/** Namespaces and definitions come before what needs them. */
const rankOf = ({ kind }: BaselineObject): number =>
  ['namespaces', 'apiextensions.k8s.io/customresourcedefinitions'].includes(kind.id) ? 0 : 1

export const takeBaseline = (client: Client): Baseline => ({
  objects: new Map(
    decidedObjects(client)
      .sort((a, b) => rankOf(a) - rankOf(b) || byAge(a, b))
      .map((entry) => [keyOf(entry.kind, entry.object), entry]),
  ),
  nodes: new Map(client.list(nodes).map((node) => [node.metadata.name, node as KubeObject])),
  pods: podsNow(client),
  jobs: jobsNow(client),
  events: new Set(client.list(events).map(({ metadata }) => metadata.uid)),
})
