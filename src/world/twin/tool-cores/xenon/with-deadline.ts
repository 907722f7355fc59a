/** Aborts work that takes too long. */
import type { ProgramTime } from '#spec'

/** The signal of the work aborts with an error of this message after `ms`. */
export const withDeadline = async <T>(
  time: Pick<ProgramTime, 'after'>,
  ms: number,
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const abort = new AbortController()
  const cancel = time.after(ms, () => abort.abort(new Error(message)))
  try {
    return await work(abort.signal)
  } finally {
    cancel()
  }
}
