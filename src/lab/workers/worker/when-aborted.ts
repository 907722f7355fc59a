/** Rejects when a worker must end, for work that does not take a signal. */
import { RemediumError } from '#spec'

export const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new RemediumError('interrupted', 'The worker was stopped.'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
