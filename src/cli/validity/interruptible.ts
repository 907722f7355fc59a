/** Work that the user may end before it is done. */
import { RemediumError } from '../../spec/index.ts'
import { askedToEnd } from '../clusters/asked-to-end.ts'

/** Aborted at the first of SIGINT, SIGTERM and SIGHUP. */
export const interruptible = (hint: string): AbortSignal => {
  const asked = new AbortController()
  void askedToEnd().then(() =>
    asked.abort(new RemediumError('interrupted', 'Interrupted before all was done.', { hint })),
  )
  return asked.signal
}
