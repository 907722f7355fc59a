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
  let isStopped = false
  let stopCurrent = (): void => {}
  let timer: Timer | undefined

  const retry = (error?: Error): void => {
    if (isStopped) return
    if (error !== undefined) onError(error)
    timer = clock.after(RETRY_MS, () => void startWatch().catch(retry))
  }
  const startWatch = async (): Promise<void> => {
    const stopWatch = await api.watch(ref, {}, onEvent, retry)
    if (isStopped) stopWatch()
    else stopCurrent = stopWatch
  }
  await startWatch()
  return () => {
    isStopped = true
    timer?.cancel()
    stopCurrent()
  }
}
