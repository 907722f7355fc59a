/**
 * Restores the metadata of all objects, including those that controllers derive from others: labels,
 * annotations, finalizers, owners, field managers and generations can hold notes of an agent.
 */
import { deepEqual, defined } from '#kit'
import { type Client, events, type KubeObject, leases, pods } from '#platform/kube/simulated'
import { type Baseline, keyOf } from './baseline.ts'
import { writersOf } from './object-content.ts'

/** Writes objects without admission, defaults and field tracking. */
export interface RawStore {
  put(kind: string, object: KubeObject, old: KubeObject | undefined): KubeObject
  /** Drops the history of all kinds, which clients can read with earlier resource versions. */
  compact(): void
}

/** Annotations that controllers write to a new object. */
const CONTROLLER_ANNOTATIONS = new Set([
  ...['bind-completed', 'bound-by-controller', 'provisioned-by'].map((name) => `pv.kubernetes.io/${name}`),
  'volume.kubernetes.io/provisioner-deletion-secret-name',
  'volume.kubernetes.io/provisioner-deletion-secret-namespace',
  'volume.kubernetes.io/selected-node',
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  ...['revision', 'desired-replicas', 'max-replicas'].map((name) => `deployment.kubernetes.io/${name}`),
  'endpoints.kubernetes.io/last-change-trigger-time',
])

type Annotations = Readonly<Record<string, string>>

/** A recreated object keeps the annotations that controllers wrote. */
const annotationsOf = (current: KubeObject, before: KubeObject): Annotations => {
  const earlier = before.metadata.annotations ?? {}
  if (current.metadata.uid === before.metadata.uid) return earlier
  const pick = (annotations: Annotations, isFromController: boolean): Annotations =>
    Object.fromEntries(
      Object.entries(annotations).filter(([name]) => CONTROLLER_ANNOTATIONS.has(name) === isFromController),
    )
  return { ...pick(earlier, false), ...pick(current.metadata.annotations ?? {}, true) }
}

const isEmpty = (value: object | undefined): boolean => value === undefined || Object.keys(value).length === 0

/** Returns `current` with the metadata of `before`, except identity and versions. */
const withMetadataOf = (current: KubeObject, before: KubeObject): KubeObject => {
  const {
    labels: _labels,
    annotations: _annotations,
    finalizers: _finalizers,
    managedFields = [],
    generation: _generation,
    ...identity
  } = current.metadata
  const { labels, finalizers, generation } = before.metadata
  const annotations = annotationsOf(current, before)
  const writers = [
    ...writersOf(before),
    ...managedFields.filter(({ subresource }) => subresource === 'status'),
  ]
  const isSameObject = current.metadata.uid === before.metadata.uid
  const { ownerReferences } = isSameObject ? before.metadata : current.metadata
  const { ownerReferences: _owners, ...rest } = identity
  return {
    ...current,
    metadata: {
      ...rest,
      ...defined({ labels, finalizers, generation, ownerReferences }),
      ...(isEmpty(annotations) ? {} : { annotations }),
      ...(writers.length === 0 ? {} : { managedFields: writers }),
    },
  } as KubeObject
}

/** Changed pods are recreated instead, and events are deleted. */
const SKIPPED_KINDS: ReadonlySet<string> = new Set([events.id, pods.id])

/** Restores the metadata, and returns the objects whose metadata differed from the baseline. */
export const restoreMetadata = (client: Client, baseline: Baseline, store: RawStore): KubeObject[] =>
  client
    .kinds()
    .filter(({ id }) => !SKIPPED_KINDS.has(id))
    .flatMap((kind) =>
      (client.list(kind) as readonly KubeObject[]).flatMap((current) => {
        const before = baseline.states.get(keyOf(kind, current))
        const isUnchanged = before?.metadata.resourceVersion === current.metadata.resourceVersion
        if (before === undefined || isUnchanged || current.metadata.deletionTimestamp !== undefined) return []
        const restored = withMetadataOf(current, before)
        return deepEqual(restored.metadata, current.metadata) ? [] : [store.put(kind.id, restored, current)]
      }),
    )

/** Deletes leases that are not in the baseline. Components that need one create it again. */
export const deleteNewLeases = (client: Client, baseline: Baseline): void => {
  for (const lease of client.list(leases) as readonly KubeObject[])
    if (!baseline.states.has(keyOf(leases, lease)))
      client.delete(leases, lease.metadata.namespace!, lease.metadata.name)
}
