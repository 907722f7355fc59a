/** The time and the steps that a solver has. */
import type { Budget, RemediumError } from '#spec'
import type { EpisodeTime } from '../laboratory/episode-time.ts'

export interface SolverBudget {
  /** Aborts when the budget is spent, with the reason, or when the solver has ended. */
  readonly signal: AbortSignal
  /** Resolves when the signal aborts. */
  readonly spent: Promise<'spent'>
  /** The reason why the solver is not to blame for spending its time, if there is one. */
  readonly excuse: RemediumError | undefined
  /** Sets a function that is called when the time is spent, to find an excuse. */
  setExcuse(find: () => RemediumError | undefined): void
  countStep(): void
  /** Ends the budget because a limit that is counted elsewhere is reached, such as that of tokens. */
  spend(reason: string): void
  /** Stops the timer: the solver has ended. */
  close(): void
}

/** The time budget starts to run immediately. */
export const createSolverBudget = (
  { steps: maxSteps, seconds }: Budget,
  time: Pick<EpisodeTime, 'after'>,
): SolverBudget => {
  const controller = new AbortController()
  const { signal } = controller
  const spend = (reason: string): void => controller.abort(new Error(reason))
  let findExcuse: () => RemediumError | undefined = () => undefined
  let excuse: RemediumError | undefined
  let steps = 0
  const timer = time.after(seconds * 1000, () => {
    excuse = findExcuse()
    spend('the time budget is spent')
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
    setExcuse(find) {
      findExcuse = find
    },
    countStep() {
      steps += 1
      if (steps >= maxSteps) spend('the step budget is spent')
    },
    spend,
    close() {
      timer.cancel()
      spend('the solver has ended')
    },
  }
}
