/** The replies of a forked process to its order and to calls. */
import type { SupervisorLink } from '#machine/forks'
import { toRemediumError } from '#spec'
import { withHeartbeat } from '../worker/with-heartbeat.ts'
import { type ForkCall, type ForkMessage, ORDER_ID } from './fork-messages.ts'

export interface ForkReplies {
  stage(text: string): void
  /** Replies to the order. */
  ready(result: unknown): void
  /** Sends heartbeats until the work ends, for at most `maxMs`. */
  whileAlive<T>(maxMs: number, work: Promise<T>): Promise<T>
  /** Replies to each call with the result of `perform`. The process ends when its supervisor is gone. */
  serve(maxMs: number, perform: (input: unknown) => Promise<unknown>): void
}

export const createForkReplies = (link: SupervisorLink): ForkReplies => {
  const send = (message: ForkMessage): void => link.send(message)
  const whileAlive = <T>(maxMs: number, work: Promise<T>): Promise<T> =>
    withHeartbeat(() => send({ kind: 'alive' }), maxMs, work)
  return {
    whileAlive,
    stage: (text) => send({ kind: 'stage', text }),
    ready: (result) => send({ kind: 'result', id: ORDER_ID, result }),
    serve(maxMs, perform) {
      link.onMessage((received) => {
        const { id, input } = received as ForkCall
        whileAlive(maxMs, perform(input)).then(
          (result) => send({ kind: 'result', id, result }),
          (thrown: unknown) => {
            const { code, message, blame, hint, cause } = toRemediumError(thrown)
            if (code === 'defect') console.error(cause ?? thrown)
            send({
              kind: 'failed',
              id,
              failure: { code, message, blame, ...(hint === undefined ? {} : { hint }) },
            })
          },
        )
      })
    },
  }
}
