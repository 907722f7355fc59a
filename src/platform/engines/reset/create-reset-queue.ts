/** Runs the resets of a cluster in order. */
import { RemediumError, type ResetOptions, type ResetReport } from '#spec'

/** Runs one reset at a time. `end` aborts the current reset and waits for it. */
export const createResetQueue = (
  reset: (signal: AbortSignal, options?: ResetOptions) => Promise<ResetReport>,
) => {
  const ending = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(options?: ResetOptions): Promise<ResetReport> {
      const turn = last.then(() => {
        ending.signal.throwIfAborted()
        return reset(ending.signal, options)
      })
      last = turn.catch(() => {})
      return turn
    },
    async end(): Promise<void> {
      ending.abort(new RemediumError('interrupted', 'The cluster was closed before it was reset.'))
      await last
    },
  }
}
