/** A worker process of the gym as its parent sees it: calls, their replies, and its loss. */
import { createRealClock } from '#kit'
import { type EpisodeWorkerOptions, type Failure, startEpisodeWorker } from '#lab/workers'
import { RemediumError } from '#spec'
import type { CallName, GymCalls, GymInput, GymJob, GymReply } from '../worker/gym-job.ts'

export interface SessionPlayer {
  /** Undefined if no process plays the session. */
  readonly pid: number | undefined
  /** Resolves when the process has ended, or has been killed. */
  end(): Promise<void>
}

export interface GymWorker {
  /** Rejects with `cluster-lost` if the worker ends before its reply, and ends the worker if there is no reply in time. */
  call<Name extends CallName>(
    name: Name,
    session: string,
    input: GymCalls[Name]['input'],
    timeoutMs: number,
  ): Promise<GymCalls[Name]['result']>
  /** The process that plays the session. */
  playerOf(session: string): SessionPlayer
  readonly isLost: boolean
  /** Resolves when the process has ended. */
  end(): Promise<void>
}

export interface GymWorkerOptions extends EpisodeWorkerOptions {
  readonly job: GymJob
  readonly defaultProgram: string
  onStage?(text: string): void
}

interface Pending {
  resolve(value: never): void
  reject(error: RemediumError): void
}

const toLoss = (failure: Failure | undefined): RemediumError =>
  new RemediumError('cluster-lost', `A worker of the gym has ended: ${failure?.message ?? 'it was stopped'}`)

export const startGymWorker = async ({
  job,
  defaultProgram,
  onStage = () => {},
  ...options
}: GymWorkerOptions): Promise<GymWorker> => {
  const worker = await startEpisodeWorker<GymJob, GymReply>(defaultProgram, options)
  const clock = createRealClock({ keepsAlive: true })
  const pending = new Map<number, Pending>()
  let lastId = 0
  let loss: RemediumError | undefined
  const lose = (error: RemediumError): void => {
    loss ??= error
    for (const { reject } of pending.values()) reject(loss)
    pending.clear()
  }
  const onResult = (reply: GymReply): void => {
    const waiting = pending.get(reply.id)
    pending.delete(reply.id)
    if (waiting === undefined) return
    if ('result' in reply) {
      waiting.resolve(reply.result as never)
      return
    }
    const { code, message, blame, hint } = reply.failure
    waiting.reject(new RemediumError(code as 'defect', message, { blame, hint }))
  }
  void worker.run(job, { onStage, onResult }).then(({ failure }) => lose(toLoss(failure)))
  const end = async (): Promise<void> => {
    lose(toLoss(undefined))
    await worker.end()
  }
  return {
    playerOf: () => ({ pid: worker.pid, end }),
    get isLost() {
      return loss !== undefined
    },
    end,
    call(name, session, input, timeoutMs) {
      if (loss !== undefined) return Promise.reject(loss)
      lastId += 1
      const id = lastId
      const { promise, resolve, reject } = Promise.withResolvers<GymCalls[typeof name]['result']>()
      pending.set(id, { resolve, reject })
      const timer = clock.after(timeoutMs, () => {
        const seconds = Math.round(timeoutMs / 1000)
        const message = `A worker of the gym did not reply to "${name}" within ${seconds} s.`
        lose(new RemediumError('cluster-lost', message))
        void worker.end()
      })
      worker.send({ call: name, id, session, ...input } as GymInput)
      return promise.finally(() => timer.cancel())
    },
  }
}
