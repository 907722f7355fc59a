/** A watch that begins anew where the server ends it. */
import type { Clock, Timer } from '../../kit/index.ts'
import type { KubeApi, ObjectEvent, ResourceRef } from '../../spec/index.ts'

const PAUSE_MS = 1000

export interface WatchParts {
  readonly api: Pick<KubeApi, 'watch'>
  readonly clock: Clock
  onError(error: Error): void
}

/** Everything there is comes first; after an interruption it comes again. Resolves once the first watch stands. */
export const watchAlways = async (
  { api, clock, onError }: WatchParts,
  ref: ResourceRef,
  onEvent: (event: ObjectEvent) => void,
): Promise<() => void> => {
  let ended = false
  let stop = (): void => {}
  let timer: Timer | undefined

  const again = (error?: Error): void => {
    if (ended) return
    if (error !== undefined) onError(error)
    timer = clock.after(PAUSE_MS, () => void begin().catch(again))
  }
  const begin = async (): Promise<void> => {
    const end = await api.watch(ref, {}, onEvent, again)
    if (ended) end()
    else stop = end
  }
  await begin()
  return () => {
    ended = true
    timer?.cancel()
    stop()
  }
}
