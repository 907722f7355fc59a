/** Limits how long a caller waits. */
import type { ProgramTime } from '#spec'

/** Rejects with the result of `onTimeout` if the work takes longer than `limitMs`; undefined means no limit. */
export const withTimeLimit = <T>(
  time: Pick<ProgramTime, 'after'>,
  work: Promise<T>,
  limitMs: number | undefined,
  onTimeout: () => Error,
): Promise<T> => {
  if (limitMs === undefined) return work
  return new Promise((resolve, reject) => {
    const cancel = time.after(limitMs, () => reject(onTimeout()))
    work.then(
      (result) => {
        cancel()
        resolve(result)
      },
      (error) => {
        cancel()
        reject(error)
      },
    )
  })
}
