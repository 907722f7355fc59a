/** Plays each episode in a process that is forked at its prepared incident. If one is lost, other episodes go on. */
import { createRealClock } from '#kit'
import type { ForkCaller, PreparedIncidents } from '#lab/workers'
import { RemediumError } from '#spec'
import {
  type CallInput,
  type CallName,
  type GymCalls,
  type GymJob,
  type Start,
  secretOf,
} from '../worker/gym-job.ts'
import type { GymWorker, SessionPlayer } from './start-gym-worker.ts'

export interface ForkingWorkerOptions {
  readonly job: GymJob
  readonly incidents: PreparedIncidents
  onStage?(text: string): void
  onWorker?(worker: { readonly pid: number }): void
}

/** The processes of the episodes, by session. */
const createAttempts = ({ job, incidents, onStage = () => {}, onWorker }: ForkingWorkerOptions) => {
  const attempts = new Map<string, ForkCaller>()
  const leave = async (session: string): Promise<void> => {
    const attempt = attempts.get(session)
    attempts.delete(session)
    if (attempt === undefined) return
    // The process finishes the record of an episode that is abandoned.
    await attempt.call({ call: 'close' } satisfies CallInput).catch(() => {})
    attempt.end()
  }
  return {
    leave,
    get: (session: string): ForkCaller | undefined => attempts.get(session),
    async start(session: string, start: Start): Promise<ForkCaller> {
      await leave(session)
      const request = { problem: start.problem, engine: job.engine, secret: secretOf(start) }
      const attempt = await incidents.fork(request, { setup: job, onStage })
      attempts.set(session, attempt)
      onWorker?.(attempt)
      return attempt
    },
  }
}

const perform = async (
  session: string,
  input: CallInput,
  attempts: ReturnType<typeof createAttempts>,
): Promise<unknown> => {
  if (input.call === 'close') {
    await attempts.leave(session)
    return null
  }
  const attempt = input.call === 'step' ? attempts.get(session) : await attempts.start(session, input)
  if (attempt === undefined)
    throw new RemediumError('bad-argument', 'The session has no episode. Call reset first.')
  return attempt.call(input)
}

export const startForkingWorker = (options: ForkingWorkerOptions): GymWorker => {
  const attempts = createAttempts(options)
  const clock = createRealClock({ keepsAlive: true })
  let isEnded = false
  const endPlayer = (session: string): void => attempts.get(session)?.end()
  return {
    get isLost() {
      return isEnded
    },
    playerOf: (session): SessionPlayer => ({
      pid: attempts.get(session)?.pid,
      async end() {
        endPlayer(session)
        await attempts.get(session)?.ended
      },
    }),
    async end() {
      isEnded = true
      await options.incidents.close()
    },
    async call<Name extends CallName>(
      name: Name,
      session: string,
      input: GymCalls[Name]['input'],
      timeoutMs: number,
    ) {
      const { promise: timedOut, reject } = Promise.withResolvers<never>()
      const timer = clock.after(timeoutMs, () => {
        const seconds = Math.round(timeoutMs / 1000)
        reject(
          new RemediumError('cluster-lost', `An episode did not reply to "${name}" within ${seconds} s.`),
        )
        endPlayer(session)
      })
      const performing = perform(session, { call: name, ...input } as CallInput, attempts)
      try {
        return (await Promise.race([performing, timedOut])) as GymCalls[Name]['result']
      } finally {
        timer.cancel()
      }
    },
  }
}
