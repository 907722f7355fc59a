/** A watch that restarts when the server ends it. */
import type { Clock, Timer } from '#kit'
import type { KubeApi, ObjectEvent, ResourceRef } from '#spec'

const RETRY_MS = 1000

export interface WatchContext {
  readonly api: Pick<KubeApi, 'watch'>
  readonly clock: Clock
  onError(error: Error): void
}

/**
 * Resolves once the first watch is established. Each watch, including a restarted one, begins with all
 * existing objects.
 */
export const watchWithRetry = async (
  { api, clock, onError }: WatchContext,
  ref: ResourceRef,
  onEvent: (event: ObjectEvent) => void,
): Promise<() => void> => {
  let ended = false
  let stop = (): void => {}
  let timer: Timer | undefined

  const retry = (error?: Error): void => {
    if (ended) return
    if (error !== undefined) onError(error)
    timer = clock.after(RETRY_MS, () => void startWatch().catch(retry))
  }
  const startWatch = async (): Promise<void> => {
    const end = await api.watch(ref, {}, onEvent, retry)
    if (ended) end()
    else stop = end
  }
  await startWatch()
  return () => {
    ended = true
    timer?.cancel()
    stop()
  }
}
