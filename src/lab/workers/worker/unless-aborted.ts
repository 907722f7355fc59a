/** Waits for work that does not take a signal, until a worker must end. */
import { RemediumError } from '#spec'

/**
 * Settles as the work does, or rejects when the signal is aborted. The signal lives as long as the worker, so it must not keep anything
 * of the work: a listener that stays would keep the result, such as a whole cluster.
 */
export const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(new RemediumError('interrupted', 'The worker was stopped.'))
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
