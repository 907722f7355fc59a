/** The baseline of a cluster: all declared objects and all pods at the time of provisioning. */
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
} from '#platform/kube/simulated'
import { isCreatedByController } from '#spec'
import { writersOf } from './object-content.ts'

export interface BaselineObject {
  readonly kind: Kind
  readonly object: KubeObject
}

/** The state of a pod, to detect restarts and changes. */
export interface BaselinePod {
  readonly uid: string
  readonly spec: unknown
  readonly labels: unknown
  readonly annotations: unknown
  readonly finalizers: unknown
  readonly ownerReferences: unknown
  /** Its field managers other than those of the status. */
  readonly writers: unknown
  readonly containers: string
}

export interface Baseline {
  /** By `keyOf`, in order of creation. */
  readonly objects: ReadonlyMap<string, BaselineObject>
  readonly nodes: ReadonlyMap<string, KubeObject>
  /** All objects of all kinds by `keyOf`, including derived ones, after provisioning or the last reset. */
  states: ReadonlyMap<string, KubeObject>
  /** By uid. */
  pods: ReadonlyMap<string, BaselinePod>
  /** Uids of all Jobs, including those of CronJobs. */
  jobs: ReadonlySet<string>
}

/** Kinds whose objects the cluster changes continuously. */
const GENERATED_KINDS = new Set([events.id, leases.id, nodes.id])
const PROVISIONER_ANNOTATION = 'pv.kubernetes.io/provisioned-by'
const SLICE_MANAGER_LABEL = 'endpointslice.kubernetes.io/managed-by'

export const keyOf = (kind: Kind, { metadata }: KubeObject): string =>
  `${kind.id} ${metadata.namespace ?? ''}/${metadata.name}`

/** Whether owners of this kind create and delete claims. Other owners, which an agent can set, do not count. */
const isClaimOf = (kind: string, owner: string): boolean =>
  kind === 'PersistentVolumeClaim' && ['StatefulSet', 'Pod'].includes(owner)

/** Whether its owner created the object. Owners of unknown kinds are ignored, as by the garbage collector. */
export const isControlled = (client: Client, object: KubeObject): boolean =>
  object.metadata.ownerReferences?.some(
    (owner) =>
      owner.controller === true &&
      client.kindOf(owner.apiVersion, owner.kind) !== undefined &&
      (isCreatedByController(object, owner.kind) || isClaimOf(object.kind, owner.kind)),
  ) === true

/** Whether a controller of the cluster derives the object from others. */
const isDerived = (client: Client, kind: Kind, object: KubeObject): boolean => {
  const { namespace = '', name, annotations, labels } = object.metadata
  if (isControlled(client, object)) return true
  if (kind.id === 'persistentvolumes') return annotations?.[PROVISIONER_ANNOTATION] !== undefined
  if (kind.id === endpointSlices.id) return labels?.[SLICE_MANAGER_LABEL] !== undefined
  return kind.id === endpoints.id && client.get(services, namespace, name)?.spec.selector !== undefined
}

/** Lists all objects that clients created, of every served kind. */
export const listDeclaredObjects = (client: Client): BaselineObject[] =>
  client
    .kinds()
    .filter(({ id }) => !GENERATED_KINDS.has(id))
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
  ownerReferences: pod.metadata.ownerReferences,
  writers: writersOf(pod),
  containers: containersOf(pod),
})

export const listBaselinePods = (client: Client): ReadonlyMap<string, BaselinePod> =>
  new Map(client.list(pods).map((pod) => [pod.metadata.uid, toBaselinePod(pod as KubeObject)]))

export const listJobUids = (client: Client): ReadonlySet<string> =>
  new Set(client.list(jobs).map(({ metadata }) => metadata.uid))

/** All objects of all served kinds, except events. */
export const listStates = (client: Client): ReadonlyMap<string, KubeObject> =>
  new Map(
    client
      .kinds()
      .filter(({ id }) => id !== events.id)
      .flatMap((kind) =>
        (client.list(kind) as readonly KubeObject[]).map((object) => [keyOf(kind, object), object] as const),
      ),
  )

const compareAges = (a: BaselineObject, b: BaselineObject): number =>
  Date.parse(a.object.metadata.creationTimestamp) - Date.parse(b.object.metadata.creationTimestamp)

/** Namespaces and CustomResourceDefinitions come first. */
const rankOf = ({ kind }: BaselineObject): number =>
  ['namespaces', 'apiextensions.k8s.io/customresourcedefinitions'].includes(kind.id) ? 0 : 1

export const takeBaseline = (client: Client): Baseline => ({
  objects: new Map(
    listDeclaredObjects(client)
      .sort((a, b) => rankOf(a) - rankOf(b) || compareAges(a, b))
      .map((entry) => [keyOf(entry.kind, entry.object), entry]),
  ),
  nodes: new Map(client.list(nodes).map((node) => [node.metadata.name, node as KubeObject])),
  pods: listBaselinePods(client),
  jobs: listJobUids(client),
  states: listStates(client),
})
