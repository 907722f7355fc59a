/** A session of the gym as its caller sees it: one episode after another, on a slot of a worker. */
import { drawSecret } from '#kit'
import { type Problem, RemediumError, type Verdict } from '#spec'
import { chooseStart, type StartRequest } from './choose-start.ts'
import type { GymRecords } from './create-gym-records.ts'
import type { EpisodeInfo, ResetResult, StepResult } from './episode-results.ts'
import { maxResetMsOf, maxStepMsOf } from './pool/call-times.ts'
import type { WorkerSlot } from './pool/create-worker-slots.ts'
import type { GymWorker } from './pool/start-gym-worker.ts'
import type { RecordedStart } from './worker/gym-job.ts'

export interface SessionState {
  /** The episode that was started last. The problem reveals the answer. */
  readonly info?: EpisodeInfo
  /** Steps of this episode so far. */
  readonly steps: number
  readonly isOver: boolean
  /** The last result, which has the verdict once the episode is over. */
  readonly last?: StepResult
}

/** Calls must not overlap. */
export interface GymSession {
  readonly id: string
  readonly state: SessionState
  /** Starts an episode; abandons the current one if it has not ended. Rejects if the problem cannot be prepared. */
  reset(request?: StartRequest): Promise<ResetResult>
  /** Performs an action. Everything that the agent sends counts as an action: a malformed one costs a step and is explained to the agent. */
  step(action: unknown): Promise<StepResult>
  /** Ends the session, and the episode if there is one. */
  close(): Promise<void>
}

/** A call that its caller has abandoned must end first. */
const CLOSE_MS = 600_000
const MAX_TRIES = 2

export const isLoss = (error: unknown): error is RemediumError =>
  error instanceof RemediumError && error.code === 'cluster-lost'

/** The result of an episode whose worker is lost: void, so that it does not count. */
const toLostResult = (
  info: EpisodeInfo,
  step: number,
  error: RemediumError,
  verdict: Verdict,
): StepResult => {
  const { code, blame, message: reason } = error
  return {
    observation: {
      ok: false,
      text: 'The episode is over: it cannot be judged. The action was not completed.',
    },
    reward: null,
    terminated: false,
    truncated: true,
    info: { ...info, step, verdict, void: { code, blame, reason }, terms: {} },
  }
}

const misuse = (message: string): RemediumError => new RemediumError('bad-argument', message)

interface Episode {
  readonly worker: GymWorker
  readonly start: RecordedStart
  readonly info: EpisodeInfo
}

export interface GymSessionOptions {
  readonly problems: ReadonlyMap<string, Problem>
  readonly records: GymRecords
  onClose(): void
}

export const createGymSession = (
  slot: WorkerSlot,
  { problems, records, onClose }: GymSessionOptions,
): GymSession => {
  const id = drawSecret()
  let episode: Episode | undefined
  let state: SessionState = { steps: 0, isOver: true }
  let isBusy = false
  let closing: Promise<void> | undefined

  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing !== undefined) throw misuse('The session is closed.')
    if (isBusy) throw misuse('The previous call of this session has not ended yet.')
    isBusy = true
    try {
      return await work()
    } finally {
      isBusy = false
    }
  }

  const start = async (request: StartRequest): Promise<ResetResult> => {
    const chosen = records.withRecord(chooseStart(problems, request))
    episode = undefined
    state = { steps: 0, isOver: true }
    for (let tries = 1; ; tries += 1) {
      const worker = await slot.worker()
      try {
        const result = await worker.call('reset', id, chosen, maxResetMsOf(chosen.problem))
        episode = { worker, start: chosen, info: result.info }
        state = { info: result.info, steps: 0, isOver: false }
        return result
      } catch (error) {
        if (isLoss(error)) await records.keepLost(chosen, worker.playerOf(id), error)
        if (!isLoss(error) || tries === MAX_TRIES || closing !== undefined) throw error
      }
    }
  }

  const play = async (action: unknown): Promise<StepResult> => {
    if (episode === undefined) throw misuse('The session has no episode. Call reset first.')
    if (state.isOver) throw misuse('The episode has ended. Call reset to start another one.')
    const { worker, start: started, info } = episode
    const timeoutMs = maxStepMsOf(started.problem)
    const result = await worker.call('step', id, { action }, timeoutMs).catch(async (error) => {
      if (!isLoss(error)) throw error
      return toLostResult(
        info,
        state.steps,
        error,
        await records.keepLost(started, worker.playerOf(id), error),
      )
    })
    state = { info, steps: result.info.step, isOver: result.terminated || result.truncated, last: result }
    return result
  }

  return {
    id,
    get state() {
      return state
    },
    reset: (request = {}) => exclusively(() => start(request)),
    step: (action) => exclusively(() => play(action)),
    close() {
      closing ??= (async () => {
        // The slot is free again once the worker has left the episode.
        await slot.current?.call('close', id, {}, CLOSE_MS).catch(() => {})
        slot.release()
        onClose()
      })()
      return closing
    },
  }
}
