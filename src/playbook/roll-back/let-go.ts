/** Finalizers hold objects that are to go until somebody takes them off: those put on since a snapshot, nobody will. */
import type { ApiObject, KubeApi } from '../../spec/index.ts'
import type { Snapshot } from '../snapshot-objects.ts'
import { type Entry, keyOf, nameOf } from './said-of.ts'
import type { Steps } from './steps.ts'

const finalizersOf = ({ metadata }: ApiObject): readonly string[] =>
  (metadata.finalizers as string[] | undefined) ?? []

const isOfJob = ({ metadata }: ApiObject): boolean =>
  ((metadata.ownerReferences as { kind?: string }[] | undefined) ?? []).some(({ kind }) => kind === 'Job')

/** Whether a controller of the cluster takes it off this object. */
const isClusters = (object: ApiObject, finalizer: string): boolean =>
  finalizer === 'foregroundDeletion' ||
  finalizer === 'orphan' ||
  (finalizer === 'kubernetes.io/pvc-protection' && object.kind === 'PersistentVolumeClaim') ||
  (finalizer === 'batch.kubernetes.io/job-tracking' && object.kind === 'Pod' && isOfJob(object))

const takeOff = async (api: KubeApi, { ref, object }: Entry, kept: readonly string[]): Promise<void> => {
  try {
    await api.patch({ ...ref, name: object.metadata.name }, 'merge', { metadata: { finalizers: kept } })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) throw error
  }
}

/** Also off those that are about to go: what depends on them waits, too. */
export const letGo = async (api: KubeApi, before: Snapshot, now: Snapshot, steps: Steps): Promise<void> => {
  const earlier = new Map(
    [...before.objects, ...before.going].map((entry) => [keyOf(entry), finalizersOf(entry.object)]),
  )
  for (const entry of [...now.objects, ...now.going]) {
    const all = finalizersOf(entry.object)
    const kept = all.filter(
      (one) => isClusters(entry.object, one) || earlier.get(keyOf(entry))?.includes(one) === true,
    )
    if (kept.length < all.length) await steps.take(nameOf(entry), 'let go', () => takeOff(api, entry, kept))
  }
}
