/** Takes a snapshot of a system, to which the laboratory can revert it with its own permissions. */
import type { Clock } from '#kit'
import type { KubeApi, SystemSnapshot } from '#spec'
import { findHarm } from './find-harm.ts'
import { rollBack } from './roll-back.ts'
import { snapshotObjects } from './snapshot-objects.ts'

export const snapshotSystem = async (
  api: KubeApi,
  namespace: string,
  clock: Clock,
): Promise<Omit<SystemSnapshot, 'release'>> => {
  const snapshot = await snapshotObjects(api, namespace)
  return {
    revert: () => rollBack(api, snapshot, clock),
    findHarm: (signal) => findHarm(api, snapshot, { clock, signal }),
  }
}
