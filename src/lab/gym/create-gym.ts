/** A gym in this process: sessions and scores on worker processes, for trainers written in TypeScript and for the servers of the gym. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defined, drawSecret } from '#kit'
import type { VoidTry } from '#lab/records'
import {
  canForkOn,
  cleanUp,
  createPreparedIncidents,
  type EpisodeWorkerOptions,
  usesMachine,
} from '#lab/workers'
import { DEFAULT_ENGINE, type Problem, RemediumError } from '#spec'
import { checkScoreRequest, type ScoreRequest } from './check-score-request.ts'
import type { StartRequest } from './choose-start.ts'
import { createGymRecords, type GymRecords } from './create-gym-records.ts'
import { createGymSession, type GymSession, isLoss } from './create-gym-session.ts'
import type { ResetResult, ScoreResult, StepResult } from './episode-results.ts'
import { maxResetMsOf, maxStepMsOf } from './pool/call-times.ts'
import { createWorkerSlots, type WorkerSlots } from './pool/create-worker-slots.ts'
import { startForkingWorker } from './pool/start-forking-worker.ts'
import { type GymWorker, startGymWorker } from './pool/start-gym-worker.ts'
import { BINARY_REWARD, type RewardOptions } from './reward/combine-terms.ts'
import { checkReward } from './reward/parse-reward.ts'
import type { GymJob, RecordedStart } from './worker/gym-job.ts'

export const GYM_WORKER = join(import.meta.dirname, 'gym-worker.ts')
const GYM_INCIDENT = join(import.meta.dirname, 'gym-incident.ts')

export interface GymOptions extends EpisodeWorkerOptions {
  readonly problems: readonly Problem[]
  /** The name of the engine; `local` by default. */
  readonly engine?: string | undefined
  /**
   * Whether attempts on simulated clusters are forked at their prepared incidents, where this machine supports it; true by default. The
   * results are the same.
   */
  readonly isForking?: boolean | undefined
  /** The number of worker processes, or of attempts that are played and prepared at the same time by forks; 1 on this machine's clusters, the number of cores on simulated ones. */
  readonly workers?: number | undefined
  /** The number of sessions at the same time; on this machine's clusters at most one for each worker. */
  readonly maxSessions?: number | undefined
  /** By default the reward is 1 or 0. */
  readonly reward?: Partial<RewardOptions> | undefined
  /** The only actions that agents may use; all by default. */
  readonly allow?: readonly string[] | undefined
  readonly isThinkingTimed?: boolean | undefined
  /** The path of kubectl, for the shell of agents on this machine's clusters. */
  readonly kubectl?: string | undefined
  /** The folder for the records of episodes. */
  readonly records?: string | undefined
  /** Loads the systems of void episodes; by default from the systems of this version. */
  readonly loadSystem?: VoidTry['loadSystem']
  /** Receives descriptions of progress. */
  onStage?(text: string): void
}

export interface Gym {
  readonly engine: string
  /** By id, in the order of the suite. */
  readonly problems: ReadonlyMap<string, Problem>
  readonly openSessions: number
  readonly maxSessions: number
  /** Throws if all sessions are taken. */
  openSession(): GymSession
  /** Calls a session that belongs to the gym. */
  reset(request?: StartRequest): Promise<ResetResult>
  step(action: unknown): Promise<StepResult>
  /** Starts an episode for each request, on sessions that belong to the gym: request N uses session N. */
  resetMany(requests: readonly StartRequest[]): Promise<ResetResult[]>
  /** Performs action N in session N. For an episode that has ended, the action must be undefined, and so is the result. */
  stepMany(actions: readonly unknown[]): Promise<(StepResult | undefined)[]>
  /** Plays an episode for each playbook. Rejects before any is played if a request is invalid. */
  score(requests: readonly ScoreRequest[]): Promise<ScoreResult[]>
  /** Ends all sessions and workers. */
  close(): Promise<void>
}

const DEFAULT_SESSIONS = 64
const MAX_SCORE_TRIES = 2

const toJob = (options: GymOptions, engine: string): GymJob => {
  const { allow, isThinkingTimed, kubectl, reward = BINARY_REWARD } = options
  return { engine, reward: checkReward(reward), ...defined({ allow, isThinkingTimed, kubectl }) }
}

const createSlots = (options: GymOptions, engine: string): { slots: WorkerSlots; maxSessions: number } => {
  const isReal = usesMachine(engine)
  const { workers: wanted, problems: _, onStage, isForking = true, program, ...rest } = options
  // A program that replaces that of the workers does not fork, and the single-file build lacks the one that forks.
  const forks = isForking && program === undefined && canForkOn(engine) && existsSync(GYM_INCIDENT)
  // Forks use all cores.
  const workers = forks ? 1 : (wanted ?? (isReal ? 1 : availableParallelism()))
  const sessionsPerWorker = isReal ? 1 : Math.ceil((options.maxSessions ?? DEFAULT_SESSIONS) / workers)
  const job = toJob(options, engine)
  const startPlain = () =>
    startGymWorker({ ...rest, ...defined({ onStage, program }), job, defaultProgram: GYM_WORKER })
  const startForking = async (): Promise<GymWorker> => {
    const { silenceMs } = rest
    const incidents = createPreparedIncidents({
      program: GYM_INCIDENT,
      ...defined({ silenceMs, preparing: wanted }),
    })
    return startForkingWorker({ ...rest, ...defined({ onStage }), job, incidents })
  }
  const slots = createWorkerSlots({
    workers,
    sessionsPerWorker,
    start: forks ? startForking : startPlain,
    cleanUp: () => cleanUp(engine),
  })
  return { slots, maxSessions: Math.min(options.maxSessions ?? DEFAULT_SESSIONS, slots.capacity) }
}

/** Plays the request on a free slot, again if its worker is lost. */
const scoreOne = async (
  slots: WorkerSlots,
  records: GymRecords,
  request: ReturnType<typeof checkScoreRequest> & RecordedStart,
): Promise<ScoreResult> => {
  const slot = await slots.wait()
  const { problem } = request
  try {
    for (let tries = 1; ; tries += 1) {
      const session = drawSecret()
      const worker = await slot.worker()
      try {
        const timeoutMs = maxResetMsOf(problem) + maxStepMsOf(problem)
        const result = await worker.call('score', session, request, timeoutMs)
        await worker.call('close', session, {}, timeoutMs)
        return result
      } catch (error) {
        if (isLoss(error)) await records.keepLost(request, worker.playerOf(session), error)
        if (!isLoss(error) || tries === MAX_SCORE_TRIES) throw error
      }
    }
  } finally {
    slot.release()
  }
}

/** Requests wait in the order of the list; at most `limit` are played at the same time. */
const mapLimited = async <T, R>(
  list: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = []
  const entries = list.entries()
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, list.length) }, work))
  return results
}

/** The gym's own sessions, which `reset` and `resetMany` open. */
const createOwnSessions = (open: () => GymSession) => {
  const sessions: GymSession[] = []
  const sessionAt = (index: number): GymSession => {
    const found = sessions[index]
    if (found === undefined)
      throw new RemediumError('bad-argument', `There is no session ${index + 1}. Call reset first.`)
    return found
  }
  const ensure = (count: number): void => {
    while (sessions.length < count) sessions.push(open())
  }
  return {
    reset(request: StartRequest = {}) {
      ensure(1)
      return sessions[0]!.reset(request)
    },
    step: async (action: unknown) => sessionAt(0).step(action),
    async resetMany(requests: readonly StartRequest[]) {
      ensure(requests.length)
      return Promise.all(requests.map((request, index) => sessions[index]!.reset(request)))
    },
    async stepMany(actions: readonly unknown[]) {
      const stepping = actions.map((action, index) => {
        const session = sessionAt(index)
        return action === undefined && session.state.isOver ? undefined : session.step(action)
      })
      return Promise.all(stepping)
    },
  }
}

export const createGym = (options: GymOptions): Gym => {
  const { engine = DEFAULT_ENGINE } = options
  if (options.problems.length === 0)
    throw new RemediumError('bad-argument', 'The gym needs at least one problem.')
  const problems = new Map(options.problems.map((problem) => [problem.id, problem]))
  const { slots, maxSessions } = createSlots(options, engine)
  const { records: folder, loadSystem } = options
  const records = createGymRecords({ engine, records: folder, loadSystem })
  const sessions = new Set<GymSession>()
  const openSession = (): GymSession => {
    const slot = sessions.size < maxSessions ? slots.take() : undefined
    if (slot === undefined)
      throw new RemediumError('bad-argument', `All ${maxSessions} sessions of the gym are taken.`, {
        hint: 'Close a session, or start the gym with more workers or sessions.',
      })
    const session: GymSession = createGymSession(slot, {
      ...{ problems, records },
      onClose: () => sessions.delete(session),
    })
    sessions.add(session)
    return session
  }
  return {
    engine,
    problems,
    maxSessions,
    openSession,
    ...createOwnSessions(openSession),
    get openSessions() {
      return sessions.size
    },
    async score(requests) {
      const checked = requests.map((request, index) => checkScoreRequest(problems, request, index))
      // Requests beyond the sessions that callers keep open would wait forever.
      const free = slots.capacity - sessions.size
      if (checked.length > 0 && free === 0)
        throw new RemediumError(
          'bad-argument',
          'All sessions of the gym are taken, so nothing can be scored.',
        )
      const { workers = availableParallelism() } = options
      return mapLimited(checked, Math.max(1, Math.min(free, workers)), (request) =>
        scoreOne(slots, records, records.withRecord(request)),
      )
    },
    async close() {
      await Promise.allSettled([...sessions].map((session) => session.close()))
      await slots.close()
    },
  }
}
