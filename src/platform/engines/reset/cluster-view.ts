/** The current state of a cluster, compared with its baseline. */
import { isDeepStrictEqual } from 'node:util'
import { isPodReady } from '#platform/engines/deploy'
import type { Client, KubeObject } from '#platform/kube/simulated'
import { type Baseline, type BaselineObject, toBaselinePod } from './baseline.ts'
import type { TouchedPods } from './touched-pods.ts'

export interface ClusterView {
  readonly client: Client
  readonly baseline: Baseline
  readonly touched: TouchedPods
  /** `namespace/name` of the claims whose content has changed. */
  readonly claims: ReadonlySet<string>
  /** Values of the label `app` of service registries that lose their registrations when they restart. */
  readonly registries: ReadonlySet<string>
  /** Values of the label `app` of stores whose pods must be restarted if they keep their data without a claim. */
  readonly writtenStores: ReadonlySet<string>
}

/** Workloads are recreated instead of updated, so that their history and their pods are fresh. */
const WORKLOADS = new Set([
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'apps/replicasets',
  'batch/jobs',
  'batch/cronjobs',
  'replicationcontrollers',
])

export const isWorkload = ({ kind }: BaselineObject): boolean => WORKLOADS.has(kind.id)

interface PodVolume {
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

const claimsOf = (podSpec: KubeObject['spec']): string[] =>
  ((podSpec?.volumes ?? []) as readonly PodVolume[]).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  )

export const hasClaim = (podSpec: KubeObject['spec']): boolean => claimsOf(podSpec).length > 0

/** Whether the pod uses a claim whose content has changed. */
export const usesChangedClaim = ({ claims }: ClusterView, { metadata, spec }: KubeObject): boolean =>
  claimsOf(spec).some((claim) => claims.has(`${metadata.namespace}/${claim}`))

/** Whether the pod is a store without a claim that may hold data of an agent. */
const isWrittenStore = ({ writtenStores }: ClusterView, { metadata, spec }: KubeObject): boolean =>
  writtenStores.has(metadata.labels?.app ?? '') && !hasClaim(spec)

/** Whether the pod is new, changed, restarted, accessed, not ready, or a store with possible agent data. */
export const isDirtyPod = (view: ClusterView, pod: KubeObject): boolean => {
  const { baseline, touched } = view
  const { uid, namespace = '', name } = pod.metadata
  const baselinePod = baseline.pods.get(uid)
  if (baselinePod === undefined || !isDeepStrictEqual(baselinePod, toBaselinePod(pod))) return true
  if (touched.has(namespace, name) || isWrittenStore(view, pod)) return true
  return !isPodReady(pod) && pod.status.phase !== 'Succeeded'
}

/** The uids of the controllers of an object, from its direct controller upwards. */
export const controllersOf = (client: Client, object: KubeObject): string[] => {
  const reference = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
  const kind = reference && client.kindOf(reference.apiVersion, reference.kind)
  const owner = kind && client.get(kind, object.metadata.namespace ?? '', reference!.name)
  if (owner === undefined || owner.metadata.uid !== reference!.uid) return []
  return [owner.metadata.uid, ...controllersOf(client, owner as KubeObject)]
}

export const currentOf = (client: Client, { kind, object }: BaselineObject): KubeObject | undefined => {
  // A changed CustomResourceDefinition replaces its kinds, so the kind is looked up by id.
  const served = client.kinds().find(({ id }) => id === kind.id)
  const { namespace = '', name } = object.metadata
  return served && (client.get(served, namespace, name) as KubeObject | undefined)
}
