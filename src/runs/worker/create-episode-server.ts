/** What a worker does: proves problems and plays episodes of agents, on benches that it keeps. */
import { loadFaults } from '../../faults/index.ts'
import { lazily } from '../../kit/index.ts'
import { keepModels } from '../../models/index.ts'
import { toRemediumError } from '../../spec/index.ts'
import type { EpisodeJob, FinishedAttempt } from '../attempt.ts'
import type { AgentJob } from '../play/agent-job.ts'
import type { FinishedEpisode } from '../play/to-episode-result.ts'
import { createBenchKeeper } from './keep-bench.ts'
import { playEpisode } from './play-episode.ts'
import type { JobContext, JobServer } from './serve-jobs.ts'
import { validateProblem } from './validate-problem.ts'
import { whenAborted } from './when-aborted.ts'

/** A model that did not answer has done nothing to the cluster. */
const isClusterSpoilt = (thrown: unknown): boolean => toRemediumError(thrown).blame !== 'provider'

export const createEpisodeServer = (): JobServer<
  EpisodeJob | AgentJob,
  FinishedAttempt | FinishedEpisode
> => {
  const loaded = lazily(loadFaults)
  const benches = createBenchKeeper()
  const models = keepModels()
  const play = async (
    job: EpisodeJob | AgentJob,
    context: JobContext<FinishedAttempt | FinishedEpisode>,
  ): Promise<void> => {
    const tools = { benches, models, faults: await loaded() }
    return 'planned' in job ? playEpisode(job, context, tools) : validateProblem(job, context, tools)
  }
  return {
    close: benches.close,
    async run(job, context) {
      try {
        await Promise.race([play(job, context), whenAborted(context.signal)])
      } catch (error) {
        // Whatever state it is in: the next one begins on a fresh cluster.
        if (isClusterSpoilt(error)) await benches.close().catch(() => {})
        throw error
      }
    },
  }
}
