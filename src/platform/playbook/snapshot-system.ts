/** Takes a snapshot of a system, to which the laboratory can revert it with its own permissions. */
import { createRealClock } from '#kit'
import type { KubeApi, SystemSnapshot } from '#spec'
import { findHarm } from './find-harm.ts'
import { rollBack } from './roll-back.ts'
import { snapshotObjects } from './snapshot-objects.ts'

export const snapshotSystem = async (
  api: KubeApi,
  namespace: string,
): Promise<Omit<SystemSnapshot, 'release'>> => {
  const snapshot = await snapshotObjects(api, namespace)
  return {
    revert: () => rollBack(api, snapshot),
    findHarm: (signal) => findHarm(api, snapshot, { clock: createRealClock({ keepsAlive: true }), signal }),
  }
}
