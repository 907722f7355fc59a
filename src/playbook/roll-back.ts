/** Takes back what was done to the objects of a system since a snapshot. */
import { createRealClock, sleep } from '../kit/index.ts'
import type { KubeApi } from '../spec/index.ts'
import { leavePods } from './roll-back/leave-pods.ts'
import { letGo } from './roll-back/let-go.ts'
import { rollBackNodes } from './roll-back/roll-back-nodes.ts'
import {
  creatable,
  type Entry,
  hasOtherSpec,
  isSame,
  keyOf,
  nameOf,
  saidOf,
  scaledNames,
  toMetadataPatch,
} from './roll-back/said-of.ts'
import { createSteps } from './roll-back/steps.ts'
import { type Snapshot, snapshotObjects } from './snapshot-objects.ts'

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** How long all that was deleted may take to be gone, before it can be made anew. */
const GONE_MS = 15_000
const LOOK_MS = 200

const remove = async (api: KubeApi, { ref, object }: Entry): Promise<void> => {
  try {
    await api.delete({ ...ref, name: object.metadata.name }, { propagationPolicy: 'Background' })
  } catch (error) {
    if (codeOf(error) !== 404) throw error
  }
}

const createMaking = (api: KubeApi) => {
  const clock = createRealClock({ keepsAlive: true })
  const until = clock.now() + GONE_MS
  return async (entry: Entry): Promise<void> => {
    for (; ; await sleep(clock, LOOK_MS))
      try {
        await api.create(entry.ref, creatable(entry))
        return
      } catch (error) {
        if (codeOf(error) !== 409 || clock.now() > until) throw error
      }
  }
}
type Make = ReturnType<typeof createMaking>

/** What runs in a pod cannot be taken out of it again; what has an owner is made anew by that. */
const putPodBack = async (api: KubeApi, before: Entry, now: Entry, make: Make): Promise<void> => {
  const ref = { ...before.ref, name: before.object.metadata.name }
  if (!hasOtherSpec(before, now, false))
    await api.patch(ref, 'merge', toMetadataPatch(before.object, now.object))
  else {
    await remove(api, before)
    if (!before.isOwned) await make(before)
  }
}

/** Where a field cannot be changed any more, the object is made anew. */
const putBack = async (api: KubeApi, before: Entry, now: Entry, make: Make): Promise<void> => {
  const ref = { ...before.ref, name: before.object.metadata.name }
  if (before.object.kind === 'Pod') return putPodBack(api, before, now, make)
  // Whoever deletes a claim deletes what lies in it.
  if (before.object.kind === 'PersistentVolumeClaim')
    return void (await api.patch(ref, 'merge', toMetadataPatch(before.object, now.object)))
  try {
    await api.update(ref, saidOf(before.object))
  } catch (error) {
    if (codeOf(error) !== 422) throw error
    await remove(api, before)
    if (!before.isOwned) await make(before)
  }
}

/** What has lost its owner since was replaced by that, and is too many. */
const isTooMany = (before: Entry | undefined, now: Entry): boolean =>
  !now.isOwned && (before === undefined || before.isOwned)

/**
 * Deletes what was made since, makes what was deleted, puts back what was changed; gives what it did, and what it could not do and
 * why. With the rights of the laboratory, which those of an agent need not equal. What is in volumes stays as it is.
 */
export const rollBack = async (api: KubeApi, snapshot: Snapshot): Promise<readonly string[]> => {
  const now = await snapshotObjects(api, snapshot.namespace, snapshot)
  const before = new Map(snapshot.objects.map((entry) => [keyOf(entry), entry]))
  const current = new Map(now.objects.map((entry) => [keyOf(entry), entry]))
  const scaled = scaledNames(snapshot)
  const isLeft = leavePods(before, current)
  const steps = createSteps()
  await letGo(api, snapshot, now, steps)
  for (const [key, entry] of current)
    if (isTooMany(before.get(key), entry))
      await steps.take(nameOf(entry), 'deleted', () => remove(api, entry))
  const make = createMaking(api)
  for (const [key, entry] of before) {
    const found = current.get(key)
    if (found === undefined) {
      if (!entry.isOwned) await steps.take(nameOf(entry), 'created', () => make(entry))
    } else if (!isTooMany(entry, found) && !isLeft(entry, found) && !isSame(entry, found, scaled))
      await steps.take(nameOf(entry), 'put back', () => putBack(api, entry, found, make))
  }
  await rollBackNodes(api, snapshot, now, steps)
  return steps.told
}
