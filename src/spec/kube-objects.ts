/** The one typed view of Kubernetes objects outside the embedded Kubernetes: types, and common predicates. */
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { TokenRequest } from 'kubernetes-types/authentication/v1.d.ts'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts'
import type { CronJob, Job } from 'kubernetes-types/batch/v1.d.ts'
import type {
  ConfigMap,
  Container,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  PodTemplateSpec,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import type { OwnerReference } from 'kubernetes-types/meta/v1.d.ts'
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import type { ApiObject } from './kube-api.ts'

export interface KubeKinds {
  ClusterRole: ClusterRole
  ClusterRoleBinding: ClusterRoleBinding
  ConfigMap: ConfigMap
  CronJob: CronJob
  DaemonSet: DaemonSet
  Deployment: Deployment
  EndpointSlice: EndpointSlice
  Endpoints: Endpoints
  Event: Event
  HorizontalPodAutoscaler: HorizontalPodAutoscaler
  Ingress: Ingress
  Job: Job
  LimitRange: LimitRange
  Namespace: Namespace
  NetworkPolicy: NetworkPolicy
  Node: Node
  PersistentVolume: PersistentVolume
  PersistentVolumeClaim: PersistentVolumeClaim
  Pod: Pod
  PodDisruptionBudget: PodDisruptionBudget
  ReplicaSet: ReplicaSet
  ResourceQuota: ResourceQuota
  Role: Role
  RoleBinding: RoleBinding
  Secret: Secret
  Service: Service
  ServiceAccount: ServiceAccount
  StatefulSet: StatefulSet
  TokenRequest: TokenRequest
}

export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** An object of one kind; read-only, like everything that comes from the API. */
export type KubeObject<K extends keyof KubeKinds> = DeepReadonly<KubeKinds[K]>

export type PodTemplateView = DeepReadonly<PodTemplateSpec>
export type PodSpecView = DeepReadonly<PodSpec>
export type OwnerReferenceView = DeepReadonly<OwnerReference>
export type ContainerView = DeepReadonly<Container>

/** A kind of workload that creates pods from a template and maintains their number. */
export type ScalableKind = 'Deployment' | 'ReplicaSet' | 'StatefulSet'

/** Views an object as one of this kind. The caller must know the kind: nothing is checked. */
export const viewAs = <K extends keyof KubeKinds>(_kind: K, object: ApiObject): KubeObject<K> =>
  object as unknown as KubeObject<K>

const hasCode = (error: unknown, code: number): boolean =>
  typeof error === 'object' && error !== null && (error as { code?: unknown }).code === code

/** Whether the API answered that the object does not exist. */
export const isNotFound = (error: unknown): boolean => hasCode(error, 404)

/** Whether the API answered with a conflict: the object already exists, or was changed meanwhile. */
export const isConflict = (error: unknown): boolean => hasCode(error, 409)

/** Whether the API rejected the object as invalid, for example because a field is immutable. */
export const isInvalid = (error: unknown): boolean => hasCode(error, 422)

/** Whether the object has a condition of this type with the status `True`. */
export const hasCondition = (object: ApiObject, type: string): boolean =>
  viewAs('Pod', object).status?.conditions?.some(
    (condition) => condition.type === type && condition.status === 'True',
  ) === true

/** Whether a pod or a node has the condition `Ready` with the status `True`. */
export const isReady = (object: ApiObject): boolean => hasCondition(object, 'Ready')

/** Whether the object is being deleted: it remains until its finalizers and its grace period have ended. */
export const isTerminating = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined

/** Whether a pod has ended for good: its containers have terminated and are not restarted. */
export const isFinishedPod = (pod: ApiObject): boolean =>
  ['Succeeded', 'Failed'].includes(viewAs('Pod', pod).status?.phase ?? '')

/** The labels of an object; an empty object if it has none. */
export const labelsOf = (object: ApiObject): Readonly<Record<string, string>> =>
  viewAs('Pod', object).metadata?.labels ?? {}

/** The owner references of an object; an empty list if it has none. */
export const ownersOf = (object: ApiObject): readonly OwnerReferenceView[] =>
  viewAs('Pod', object).metadata?.ownerReferences ?? []

/** The pod template of a workload; undefined if the object has none. */
export const podTemplateOf = (workload: ApiObject): PodTemplateView | undefined =>
  viewAs('Deployment', workload).spec?.template

/** The containers of a pod, or of the pod template of a workload. */
export const containersOf = (object: ApiObject): readonly ContainerView[] => {
  const spec = object.kind === 'Pod' ? viewAs('Pod', object).spec : podTemplateOf(object)?.spec
  return spec?.containers ?? []
}

/** The desired number of replicas of a workload; 1 by default. */
export const replicasOf = (workload: ApiObject): number => viewAs('Deployment', workload).spec?.replicas ?? 1
