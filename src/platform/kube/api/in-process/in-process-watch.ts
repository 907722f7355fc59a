/** Implements KubeApi.watch in process. */
import { deepFreeze } from '#kit'
import type { User } from '#platform/kube/ports'
import type { ApiObject, KubeApi } from '#spec'
import type { ApiService } from '../api-service.ts'
import { MAX_WATCH_SECONDS } from '../watch/watch-changes.ts'
import { inProcessCall, requestUriOf } from './in-process-call.ts'

/**
 * Callbacks are deferred, never called inside the write: otherwise a callback that writes would deliver its event to
 * later listeners before the current one. The watch has the longest timeout, because a laboratory can run for hours.
 */
export const createInProcessWatch =
  (service: ApiService, user: User): KubeApi['watch'] =>
  async (ref, options, onEvent, onEnd) => {
    const { clock } = service.core
    const call = inProcessCall({ service, user }, 'watch', ref, {
      query: { ...options, timeoutSeconds: String(MAX_WATCH_SECONDS) },
    })
    let failure: Error | undefined
    let stopped = false
    const deferUnlessStopped = (task: () => void): void =>
      clock.defer(() => {
        if (!stopped) task()
      })
    service.admit(call, requestUriOf(call))
    const stop = service.watchAdmitted(call, {
      frame(frame) {
        if (frame.type === 'ERROR') failure = frame.error
        if (frame.type === 'ERROR' || frame.type === 'BOOKMARK') return
        const object = deepFreeze(call.served.toServed(frame.object)) as unknown as ApiObject
        deferUnlessStopped(() => onEvent({ type: frame.type, object }))
      },
      end: () => deferUnlessStopped(() => onEnd(failure)),
    })
    return () => {
      stopped = true
      stop()
    }
  }
