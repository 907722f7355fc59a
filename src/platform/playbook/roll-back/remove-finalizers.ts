/** Removes finalizers that were added since a snapshot, because they would block deletions forever. */
import { type ApiObject, isNotFound, type KubeApi, ownersOf, viewAs } from '#spec'
import type { Snapshot } from '../snapshot-objects.ts'
import { type Entry, keyOf, nameOf } from './declared-state.ts'
import type { Steps } from './steps.ts'

const finalizersOf = (object: ApiObject): readonly string[] =>
  viewAs('Pod', object).metadata?.finalizers ?? []

const isOwnedByJob = (object: ApiObject): boolean => ownersOf(object).some(({ kind }) => kind === 'Job')

/** Whether a controller of the cluster removes the finalizer from this object. */
const isManagedByCluster = (object: ApiObject, finalizer: string): boolean =>
  finalizer === 'foregroundDeletion' ||
  finalizer === 'orphan' ||
  (finalizer === 'kubernetes.io/pvc-protection' && object.kind === 'PersistentVolumeClaim') ||
  (finalizer === 'batch.kubernetes.io/job-tracking' && object.kind === 'Pod' && isOwnedByJob(object))

const setFinalizers = async (
  api: KubeApi,
  { ref, object }: Entry,
  finalizers: readonly string[],
): Promise<void> => {
  try {
    await api.patch({ ...ref, name: object.metadata.name }, 'merge', { metadata: { finalizers } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Includes objects that are being deleted, because an added finalizer would keep them forever. */
export const removeFinalizers = async (
  api: KubeApi,
  before: Snapshot,
  now: Snapshot,
  steps: Steps,
): Promise<void> => {
  const earlierFinalizers = new Map(
    [...before.objects, ...before.terminating].map((entry) => [keyOf(entry), finalizersOf(entry.object)]),
  )
  for (const entry of [...now.objects, ...now.terminating]) {
    const all = finalizersOf(entry.object)
    const kept = all.filter(
      (finalizer) =>
        isManagedByCluster(entry.object, finalizer) ||
        earlierFinalizers.get(keyOf(entry))?.includes(finalizer) === true,
    )
    if (kept.length < all.length)
      await steps.run(nameOf(entry), 'cleared of added finalizers', () => setFinalizers(api, entry, kept))
  }
}
