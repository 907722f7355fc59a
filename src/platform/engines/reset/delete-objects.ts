/** Deletes objects with their dependents, and waits until they are deleted. */
import { type Clock, sleep } from '#kit'
import { titleOf } from '#platform/engines/deploy'
import {
  type Client,
  controllerRevisions,
  jobs,
  type Kind,
  type KubeObject,
  namespaces,
  pods,
  replicaSets,
} from '#platform/kube/simulated'
import { RemediumError } from '#spec'

export interface DeletableObject {
  readonly kind: Kind
  readonly object: KubeObject
}

const DEPENDENTS: readonly Kind[] = [replicaSets, controllerRevisions, jobs, pods]
/** How long controllers get to remove their finalizers. */
const FINALIZER_TIMEOUT_MS = { chaos: 8000, other: 400 }
const TIMEOUT_MS = 30_000
const POLL_MS = 5
/** Finalizers that controllers of the cluster remove. */
const CLUSTER_FINALIZERS = new Set([
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
  'kubernetes',
])
/** The Job controller removes it from pods of its Jobs that it has counted, and from no others. */
const JOB_FINALIZER = 'batch.kubernetes.io/job-tracking'

/** Grace period for a pod to deregister from service registries, which would otherwise route calls to it. */
const DEREGISTRATION_SECONDS = 2

/** Only pods of ReplicaSets get a grace period. Pods of other workloads have fixed names: their replacements would wait. */
const graceOf = (kind: Kind, { metadata, spec }: KubeObject): number =>
  kind.id === pods.id && metadata.ownerReferences?.some(({ kind: owner }) => owner === 'ReplicaSet') === true
    ? Math.min(DEREGISTRATION_SECONDS, spec.terminationGracePeriodSeconds ?? DEREGISTRATION_SECONDS)
    : 0

const currentOf = (client: Client, { kind, object }: DeletableObject): KubeObject | undefined => {
  const served = client.kinds().find(({ id }) => id === kind.id)
  const found = served && client.get(served, object.metadata.namespace ?? '', object.metadata.name)
  return found?.metadata.uid === object.metadata.uid ? (found as KubeObject) : undefined
}

/** Removes finalizers that no controller of the cluster removes, except those in `kept`. */
export const removeFinalizers = (
  client: Client,
  kind: Kind,
  object: KubeObject,
  kept: readonly string[] = [],
): void => {
  const finalizers = (object.metadata.finalizers ?? []).filter(
    (finalizer) => CLUSTER_FINALIZERS.has(finalizer) || kept.includes(finalizer),
  )
  if (finalizers.length === (object.metadata.finalizers ?? []).length) return
  client.update(kind, { ...object, metadata: { ...object.metadata, finalizers } })
}

const isPodOfJob = (
  client: Client,
  { metadata: { namespace = '', ownerReferences = [] } }: KubeObject,
): boolean =>
  ownerReferences.some(
    ({ kind, name, uid, controller }) =>
      kind === 'Job' && controller === true && client.get(jobs, namespace, name)?.metadata.uid === uid,
  )

/** Does nothing if the object is already deleted. */
const deleteObject = (client: Client, target: DeletableObject): void => {
  const { kind, object } = target
  const current = currentOf(client, target)
  // Dependents are not awaited individually, and finalizers of their template would keep them forever.
  if (current !== undefined && DEPENDENTS.includes(kind))
    removeFinalizers(client, kind, current, isPodOfJob(client, current) ? [JOB_FINALIZER] : [])
  if (currentOf(client, target) === undefined) return
  client.delete(kind, object.metadata.namespace ?? '', object.metadata.name, {
    gracePeriodSeconds: graceOf(kind, object),
    propagation: 'Background',
  })
}

/** Deletes everything before any controller reacts. Returns the uids of the deleted pods. */
export const deleteWithDependents = (client: Client, { kind, object }: DeletableObject): string[] => {
  const dependents = DEPENDENTS.flatMap((dependentKind) =>
    (client.ownedBy(dependentKind, object.metadata.uid) as readonly KubeObject[]).map((dependent) => ({
      kind: dependentKind,
      object: dependent,
    })),
  )
  const namespacePods =
    kind.id === namespaces.id
      ? (client.list(pods, object.metadata.name) as readonly KubeObject[]).map((pod) => ({
          kind: pods,
          object: pod,
        }))
      : []
  deleteObject(client, { kind, object })
  const dependentPods = [...dependents, ...namespacePods].flatMap((target) =>
    deleteWithDependents(client, target),
  )
  return kind.id === pods.id ? [object.metadata.uid, ...dependentPods] : dependentPods
}

/** The objects in a terminating namespace. */
const contentsOf = (client: Client, namespace: string): DeletableObject[] =>
  client
    .kinds()
    .filter(({ namespaced }) => namespaced)
    .flatMap((kind) =>
      (client.list(kind, namespace) as readonly KubeObject[]).map((object) => ({ kind, object })),
    )

const releaseObject = (client: Client, target: DeletableObject): void => {
  const object = currentOf(client, target)
  if (object === undefined) return
  if (target.kind.id === namespaces.id)
    for (const { kind, object: content } of contentsOf(client, object.metadata.name))
      if (content.metadata.deletionTimestamp !== undefined) removeFinalizers(client, kind, content)
  removeFinalizers(client, target.kind, object)
}

/** Resolves when all objects are deleted. */
export const waitUntilDeleted = async (
  objects: readonly DeletableObject[],
  { client, clock, signal }: { client: Client; clock: Clock; signal: AbortSignal },
): Promise<void> => {
  const started = clock.now()
  const finalizerTimeoutMs = objects.some(({ kind }) => kind.group === 'chaos-mesh.org')
    ? FINALIZER_TIMEOUT_MS.chaos
    : FINALIZER_TIMEOUT_MS.other
  for (;;) {
    signal.throwIfAborted()
    const remaining = objects.filter((target) => currentOf(client, target) !== undefined)
    if (remaining.length === 0) return
    const waited = clock.now() - started
    if (waited > finalizerTimeoutMs) for (const target of remaining) releaseObject(client, target)
    if (waited > TIMEOUT_MS) {
      const names = remaining.map(({ object }) => titleOf(object)).join(', ')
      throw new RemediumError('not-ready', `These objects could not be deleted: ${names}.`)
    }
    await sleep(clock, POLL_MS)
  }
}
