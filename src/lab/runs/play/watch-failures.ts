/** Decides when a run must stop because its remaining episodes would also be void. */
import type { Failure } from '#lab/workers'
import { RemediumError } from '#spec'
import type { PlannedEpisode } from './plan-episodes.ts'

/** The number of consecutive failures after which the provider of a contender counts as down. */
const MAX_PROVIDER_FAILURES = 8

export interface FailureWatch {
  /** The episode has a verdict. */
  onVerdict(planned: PlannedEpisode): void
  onGivenUp(planned: PlannedEpisode): void
  onFailure(planned: PlannedEpisode, failure: Failure): void
}

const toError = ({ code, message, blame }: Failure, hint: string): RemediumError =>
  new RemediumError(code as 'defect', message.replace(/[^.]$/, '$&.'), { blame, hint })

/**
 * Calls `stop` for a mistake of the operator, or when the providers of all contenders with episodes left are down. One contender
 * whose provider is down does not stop the others.
 */
export const watchFailures = (
  episodes: readonly PlannedEpisode[],
  resumeHint: string,
  stop: (error: RemediumError) => void,
): FailureWatch => {
  const consecutiveFailures = new Map<string, number>()
  const left = new Map<string, number>()
  for (const { contender } of episodes) left.set(contender.name, (left.get(contender.name) ?? 0) + 1)
  const isDone = (name: string): boolean => left.get(name) === 0
  const isDown = (name: string): boolean => (consecutiveFailures.get(name) ?? 0) >= MAX_PROVIDER_FAILURES
  const countDown = (name: string): void => void left.set(name, left.get(name)! - 1)
  return {
    onVerdict({ contender: { name } }) {
      consecutiveFailures.delete(name)
      countDown(name)
    },
    onGivenUp: ({ contender: { name } }) => countDown(name),
    onFailure({ contender: { name } }, failure) {
      consecutiveFailures.set(
        name,
        failure.blame === 'provider' ? (consecutiveFailures.get(name) ?? 0) + 1 : 0,
      )
      if (failure.blame === 'operator' && failure.code !== 'interrupted')
        stop(toError(failure, 'Results of finished episodes are kept.'))
      else if ([...left.keys()].every((one) => isDone(one) || isDown(one)))
        stop(toError(failure, `No model answers any more. ${resumeHint}`))
    },
  }
}
