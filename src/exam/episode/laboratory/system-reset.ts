/** Resets the system of a laboratory to its baseline, and keeps the time of the last reset. */
import type { EngineCluster } from '#spec'
import type { EpisodeTime } from './episode-time.ts'
import type { FailureLatch } from './failure-latch.ts'
import type { LabUsers } from './lab-users.ts'
import { createLaboratoryNamespace } from './laboratory-namespace.ts'

/** The data of users grows with every reset that keeps it, and requests that list it become slow. */
const MAX_RESETS_WITH_DATA = 10

export interface ResetOptions {
  /** Keeps the data that users have written, for at most `MAX_RESETS_WITH_DATA` resets in a row. */
  readonly keepData?: boolean
  /** Whether only the laboratory's own solvers had access to the cluster. */
  readonly isTrusted?: boolean
  readonly keepNewPods?: boolean
}

export interface SystemReset {
  /** When the system was last reset; earlier signals belong to earlier episodes. */
  readonly at: number
  reset(options?: ResetOptions): Promise<void>
}

export interface SystemResetParts {
  readonly cluster: EngineCluster
  readonly namespace: string
  readonly time: EpisodeTime
  readonly failure: FailureLatch
  users(): Pick<LabUsers, 'setRate' | 'resetUsers'>
}

export const createSystemReset = (parts: SystemResetParts): SystemReset => {
  const { cluster, namespace, time, failure, users } = parts
  let at = 0
  let resetsWithData = 0
  return {
    get at() {
      return at
    },
    async reset({ keepData = false, isTrusted = false, keepNewPods = false } = {}) {
      failure.clearEpisodeFailure()
      users().setRate(1)
      resetsWithData = keepData && resetsWithData < MAX_RESETS_WITH_DATA ? resetsWithData + 1 : 0
      await cluster.reset({ keepData: resetsWithData > 0, isTrusted, keepNewPods })
      await createLaboratoryNamespace(cluster, namespace)
      users().resetUsers()
      at = time.precise()
    },
  }
}
