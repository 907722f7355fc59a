/** The watch of the KubeApi port, without sockets. */
import { deepFreeze } from '../../kit/index.ts'
import type { ApiObject, KubeApi } from '../../spec/index.ts'
import type { User } from '../ports/index.ts'
import type { ApiService } from './api-service.ts'
import { inProcessCall, requestUriOf } from './in-process-call.ts'

/** What the server allows, in seconds. By itself it would end a watch within the hour, and a laboratory may be open for longer. */
const LIFE = 2_000_000

/**
 * Calls back in turns of the clock, never inside the write that is told of: a callback that writes would otherwise
 * bring its own event before that one to those who listen after it.
 */
export const createInProcessWatch =
  (service: ApiService, user: User): KubeApi['watch'] =>
  async (ref, options, onEvent, onEnd) => {
    const { clock } = service.core
    const call = inProcessCall(service, user, 'watch', ref, {
      query: { ...options, timeoutSeconds: String(LIFE) },
    })
    let failure: Error | undefined
    let stopped = false
    const later = (task: () => void): void =>
      clock.defer(() => {
        if (!stopped) task()
      })
    service.admit(call, requestUriOf(call))
    const stop = service.watchAdmitted(call, {
      frame(frame) {
        if (frame.type === 'ERROR') failure = frame.error
        if (frame.type === 'ERROR' || frame.type === 'BOOKMARK') return
        const object = deepFreeze(call.served.toServed(frame.object)) as unknown as ApiObject
        later(() => onEvent({ type: frame.type, object }))
      },
      end: () => later(() => onEnd(failure)),
    })
    return () => {
      stopped = true
      stop()
    }
  }
