/** Lets the user interrupt a long command. */

import { waitForStopSignal } from '#kit'
import { RemediumError } from '#spec'

/** Returns a signal that is aborted on SIGINT, SIGTERM or SIGHUP; `hint` says how to resume. */
export const createInterruptSignal = (hint: string): AbortSignal => {
  const stopping = new AbortController()
  void waitForStopSignal().then(() =>
    stopping.abort(new RemediumError('interrupted', 'The command was interrupted.', { hint })),
  )
  return stopping.signal
}
