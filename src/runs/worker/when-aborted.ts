/** Rejects when a worker is told to end, for whatever does not listen to that by itself. */
import { RemediumError } from '../../spec/index.ts'

export const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new RemediumError('interrupted', 'The worker was told to end.'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
