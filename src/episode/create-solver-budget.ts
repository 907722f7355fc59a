/** The time and the steps that a solver has, and what it is told when they are spent. */
import type { Budget, RemediumError } from '../spec/index.ts'
import type { EpisodeTime } from './episode-time.ts'

export interface SolverBudget {
  /** Aborted when something is spent, with what that is, or when the solver has ended. */
  readonly signal: AbortSignal
  /** Resolves with the signal. */
  readonly spent: Promise<'spent'>
  /** Why the solver is not to blame where its time is spent. */
  readonly excuse: RemediumError | undefined
  /** `find` is asked when the time is spent. */
  excuseBy(find: () => RemediumError | undefined): void
  countStep(): void
  /** Something is spent that is counted elsewhere. */
  spend(reason: string): void
  /** The solver has ended: no time is counted any more. */
  close(): void
}

/** Its time begins at once. */
export const createSolverBudget = (
  { steps: most, seconds }: Budget,
  time: Pick<EpisodeTime, 'after'>,
): SolverBudget => {
  const ending = new AbortController()
  const { signal } = ending
  const spend = (reason: string): void => ending.abort(new Error(reason))
  let findExcuse: () => RemediumError | undefined = () => undefined
  let excuse: RemediumError | undefined
  let steps = 0
  const clock = time.after(seconds * 1000, () => {
    excuse = findExcuse()
    spend('the time of the budget is spent')
  })
  const spent = new Promise<'spent'>((resolve) => {
    signal.addEventListener('abort', () => resolve('spent'), { once: true })
  })
  return {
    signal,
    spent,
    get excuse() {
      return excuse
    },
    excuseBy(find) {
      findExcuse = find
    },
    countStep() {
      steps += 1
      if (steps >= most) spend('the steps of the budget are spent')
    },
    spend,
    close() {
      clock.cancel()
      spend('the solver has ended')
    },
  }
}
