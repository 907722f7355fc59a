/** The first stage: users on a cluster, a watch on its objects, and enough walks to know how it is when all is well. */
import { type Problem, RemediumError } from '../spec/index.ts'
import type { LabOptions } from './lab-core.ts'
import { closeCore, openCore } from './open-core.ts'
import { type Prepared, type PrepareOptions, prepare } from './prepare.ts'
import { warmUp } from './warm-up.ts'

/** A cluster with users on it, on which one episode after another is played. */
export interface Lab {
  /** Baseline, injection, until users feel it, report. One at a time: the one before must have been restored. */
  prepare(problem: Problem, options?: PrepareOptions): Promise<Prepared>
  /** Sends the users away. The cluster stays. */
  close(): Promise<void>
}

export const openLab = async (options: LabOptions): Promise<Lab> => {
  const core = await openCore(options)
  try {
    options.onProgress?.('Walking every journey until programs are warm')
    await warmUp(core)
  } catch (error) {
    await closeCore(core)
    throw error
  }
  let current: Prepared | undefined
  return {
    async prepare(problem, choices) {
      if (problem.system !== core.system.name)
        throw new RemediumError(
          'bad-argument',
          `The problem ${problem.id} is about ${problem.system}, and this laboratory has ${core.system.name}.`,
        )
      if (current?.isRestored === false)
        throw new RemediumError('defect', 'A problem was prepared before the one before it was restored.')
      current = await prepare(core, problem, choices)
      return current
    },
    close: () => closeCore(core),
  }
}
