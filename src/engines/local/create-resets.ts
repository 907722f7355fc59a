/** The resets of a cluster, in the order in which they are asked for. */
import { RemediumError, type ResetOptions, type ResetReport } from '../../spec/index.ts'

/** One reset at a time; the end of the cluster breaks off the one at work, and waits until it has let go. */
export const createResets = (
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
