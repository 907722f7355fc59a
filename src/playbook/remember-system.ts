/** A system as it is, to which the laboratory can put it back with rights of its own. */
import { createRealClock } from '../kit/index.ts'
import type { KubeApi, Remembered } from '../spec/index.ts'
import { findHarm } from './find-harm.ts'
import { rollBack } from './roll-back.ts'
import { snapshotObjects } from './snapshot-objects.ts'

export const rememberSystem = async (
  api: KubeApi,
  namespace: string,
): Promise<Omit<Remembered, 'forget'>> => {
  const snapshot = await snapshotObjects(api, namespace)
  return {
    takeBack: () => rollBack(api, snapshot),
    findHarm: (signal) => findHarm(api, snapshot, { clock: createRealClock({ keepsAlive: true }), signal }),
  }
}
