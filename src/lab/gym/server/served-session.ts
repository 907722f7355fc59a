/** A session of a client of the server: it ends when it is idle for too long. */
import { type Clock, isPlainObject, type Timer } from '#kit'
import { RemediumError } from '#spec'
import type { StartRequest } from '../choose-start.ts'
import type { Gym } from '../create-gym.ts'
import type { ResetResult, StepResult } from '../episode-results.ts'

/** A result as `EnvClient` of OpenEnv reads it, with further fields that other clients ignore. */
export interface OpenEnvResult {
  readonly observation: object
  readonly reward: number | null
  readonly done: boolean
  readonly terminated: boolean
  readonly truncated: boolean
  readonly info: object
}

export interface ServedSession {
  readonly id: string
  reset(data: unknown): Promise<OpenEnvResult>
  step(data: unknown): Promise<OpenEnvResult>
  state(): object
  /** Whether an episode can be continued. */
  readonly isPlaying: boolean
  close(): Promise<void>
}

const fromReset = ({ observation, info }: ResetResult): OpenEnvResult => ({
  observation,
  info,
  reward: null,
  done: false,
  terminated: false,
  truncated: false,
})

const fromStep = (result: StepResult): OpenEnvResult => ({
  ...result,
  done: result.terminated || result.truncated,
})

const misuse = (message: string): RemediumError => new RemediumError('bad-argument', message)

/** Fields of OpenEnv that have no meaning here are ignored. */
const toStartRequest = (data: unknown): StartRequest => {
  if (!isPlainObject(data)) throw misuse('The parameters of reset are not an object.')
  const { problem, seed } = data
  if (problem != null && typeof problem !== 'string') throw misuse('The field "problem" is not a text.')
  if (seed != null && typeof seed !== 'string' && typeof seed !== 'number')
    throw misuse('The field "seed" is neither a number nor a text.')
  return {
    problem: (problem as string | null) ?? undefined,
    seed: (seed as string | number | null) ?? undefined,
  }
}

/** Accepts the tool calls of OpenEnv, too. Anything else is passed on, and explained to the agent if it is malformed. */
const toAction = (data: unknown): unknown => {
  if (!isPlainObject(data) || data.type !== 'call_tool') return data
  return { name: data.tool_name, input: data.arguments }
}

export interface ServedSessionOptions {
  readonly gym: Gym
  readonly clock: Clock
  readonly idleMs: number
  /** Called once, when the session has ended for any reason. */
  onEnd(reason: string): void
}

/** Throws if all sessions of the gym are taken. */
export const openServedSession = ({ gym, clock, idleMs, onEnd }: ServedSessionOptions): ServedSession => {
  const session = gym.openSession()
  let timer: Timer | undefined
  let isEnded = false
  const end = (reason: string): Promise<void> => {
    timer?.cancel()
    if (!isEnded) onEnd(reason)
    isEnded = true
    return session.close()
  }
  const restartTimer = (): void => {
    timer?.cancel()
    if (!isEnded) timer = clock.after(idleMs, () => void end('idle').catch(() => {}))
  }
  const active = async <T>(work: () => Promise<T>): Promise<T> => {
    timer?.cancel()
    return work().finally(restartTimer)
  }
  restartTimer()
  return {
    id: session.id,
    reset: (data) => active(async () => fromReset(await session.reset(toStartRequest(data)))),
    step: (data) => active(async () => fromStep(await session.step(toAction(data)))),
    state() {
      const { info, steps, isOver, last } = session.state
      const { terminated = false, truncated = false, reward = null } = last ?? {}
      return {
        episode_id: info?.episode ?? null,
        step_count: steps,
        is_over: isOver,
        terminated,
        truncated,
        reward,
        info: last?.info ?? info ?? {},
      }
    },
    get isPlaying() {
      return !session.state.isOver
    },
    close: () => end('closed'),
  }
}
