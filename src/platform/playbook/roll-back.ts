/** Reverts all changes to the objects of a system since a snapshot. */
import { type Clock, sleep } from '#kit'
import { isConflict, isInvalid, isNotFound, type KubeApi } from '#spec'
import {
  type Entry,
  findAutoscaled,
  hasChangedSpec,
  isUnchanged,
  keyOf,
  nameOf,
  toCreatable,
  toDeclared,
  toMetadataPatch,
} from './roll-back/declared-state.ts'
import { findExemptPods } from './roll-back/find-exempt-pods.ts'
import { removeFinalizers } from './roll-back/remove-finalizers.ts'
import { rollBackNodes } from './roll-back/roll-back-nodes.ts'
import { createSteps } from './roll-back/steps.ts'
import { type Snapshot, snapshotObjects } from './snapshot-objects.ts'

/** How long to wait for pending deletions, in total, before their objects are recreated. */
const DELETION_TIMEOUT_MS = 15_000
const POLL_MS = 200

const remove = async (api: KubeApi, { ref, object }: Entry): Promise<void> => {
  try {
    await api.delete({ ...ref, name: object.metadata.name }, { propagationPolicy: 'Background' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const createRecreator = (api: KubeApi, clock: Clock) => {
  const deadline = clock.now() + DELETION_TIMEOUT_MS
  return async (entry: Entry): Promise<void> => {
    for (; ; await sleep(clock, POLL_MS))
      try {
        await api.create(entry.ref, toCreatable(entry))
        return
      } catch (error) {
        if (!isConflict(error) || clock.now() > deadline) throw error
      }
  }
}
type Recreate = ReturnType<typeof createRecreator>

/** Restores the metadata. A pod with changed containers is recreated instead: by its owner, or here if it has none. */
const revertPod = async (api: KubeApi, before: Entry, now: Entry, recreate: Recreate): Promise<void> => {
  const ref = { ...before.ref, name: before.object.metadata.name }
  if (!hasChangedSpec(before, now, false))
    await api.patch(ref, 'merge', toMetadataPatch(before.object, now.object))
  else {
    await remove(api, before)
    if (!before.isOwned) await recreate(before)
  }
}

/** Recreates the object if an immutable field has changed. */
const revert = async (api: KubeApi, before: Entry, now: Entry, recreate: Recreate): Promise<void> => {
  const ref = { ...before.ref, name: before.object.metadata.name }
  if (before.object.kind === 'Pod') return revertPod(api, before, now, recreate)
  // Deleting a claim would delete its data.
  if (before.object.kind === 'PersistentVolumeClaim')
    return void (await api.patch(ref, 'merge', toMetadataPatch(before.object, now.object)))
  try {
    await api.update(ref, toDeclared(before.object))
  } catch (error) {
    if (!isInvalid(error)) throw error
    await remove(api, before)
    if (!before.isOwned) await recreate(before)
  }
}

/** Whether an object without an owner is new, or had an owner before, which has then created a replacement. */
const isExtra = (before: Entry | undefined, now: Entry): boolean =>
  !now.isOwned && (before === undefined || before.isOwned)

/**
 * Deletes objects that were created, recreates objects that were deleted, and reverts objects that were changed since the snapshot.
 * Returns the result of each step. Uses the permissions of the laboratory. The content of volumes is not reverted.
 */
export const rollBack = async (
  api: KubeApi,
  snapshot: Snapshot,
  clock: Clock,
): Promise<readonly string[]> => {
  const now = await snapshotObjects(api, snapshot.namespace, snapshot)
  const before = new Map(snapshot.objects.map((entry) => [keyOf(entry), entry]))
  const current = new Map(now.objects.map((entry) => [keyOf(entry), entry]))
  const autoscaled = findAutoscaled(snapshot)
  const isExempt = findExemptPods(before, current)
  const steps = createSteps()
  await removeFinalizers(api, snapshot, now, steps)
  for (const [key, entry] of current)
    if (isExtra(before.get(key), entry)) await steps.run(nameOf(entry), 'deleted', () => remove(api, entry))
  const recreate = createRecreator(api, clock)
  for (const [key, entry] of before) {
    const found = current.get(key)
    if (found === undefined) {
      if (!entry.isOwned) await steps.run(nameOf(entry), 'created', () => recreate(entry))
    } else if (!isExtra(entry, found) && !isExempt(entry, found) && !isUnchanged(entry, found, autoscaled))
      await steps.run(nameOf(entry), 'reverted', () => revert(api, entry, found, recreate))
  }
  await rollBackNodes(api, snapshot, now, steps)
  return steps.results
}
