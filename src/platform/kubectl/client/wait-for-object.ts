/** Waits until an object satisfies a predicate, or is deleted. */
import { type ApiObject, isNotFound, type ObjectRef } from '#spec'
import type { KubectlCall } from './kubectl-call.ts'

/** Resolves when the object satisfies the predicate, or with false after the timeout. A deleted object is passed as undefined. */
export const waitForObject = async (
  { program }: KubectlCall,
  ref: ObjectRef,
  isDone: (object: ApiObject | undefined) => boolean,
  timeoutSeconds: number,
): Promise<boolean> => {
  const { api, clock, signal } = program
  const { name, ...collection } = ref
  const read = (): Promise<ApiObject | undefined> =>
    api.get(ref).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  if (isDone(await read())) return true
  return new Promise<boolean>((resolve, reject) => {
    let stop: (() => void) | undefined
    const end = (finish: () => void): void => {
      timer?.cancel()
      stop?.()
      signal.removeEventListener('abort', abort)
      finish()
    }
    const abort = (): void => end(() => reject(signal.reason))
    const timer = Number.isFinite(timeoutSeconds)
      ? clock.after(timeoutSeconds * 1000, () => end(() => resolve(false)))
      : undefined
    signal.addEventListener('abort', abort, { once: true })
    api
      .watch(
        collection,
        { fieldSelector: `metadata.name=${name}` },
        ({ type, object }) => {
          if (isDone(type === 'DELETED' ? undefined : object)) end(() => resolve(true))
        },
        (error) => end(() => reject(error ?? new Error('the watch ended'))),
      )
      .then(async (stopWatch) => {
        stop = stopWatch
        // The object may have changed before the watch began.
        if (isDone(await read())) end(() => resolve(true))
      })
      .catch((error: unknown) => end(() => reject(error)))
  })
}
