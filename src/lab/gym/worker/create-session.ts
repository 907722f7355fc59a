/** A session in a worker: plays one episode after another on a lab cluster of its own. */
import type { Incident } from '#exam/episode'
import { keepVoidRecord } from '#lab/records'
import { type LabCluster, type LabClusterKeeper, mayHaveBrokenCluster, usesMachine } from '#lab/workers'
import { type Fault, RemediumError, toRemediumError } from '#spec'
import type { ResetResult, ScoreResult, StepResult } from '../episode-results.ts'
import { GYM_SOLVER, type GymCalls, type GymJob, type RecordedStart, secretOf } from './gym-job.ts'
import { type GymEpisode, startGymEpisode } from './play-gym-episode.ts'

export interface SessionTools {
  readonly job: GymJob
  readonly faults: ReadonlyMap<string, Fault>
  readonly labClusters: LabClusterKeeper
  readonly signal: AbortSignal
  stage(text: string): void
}

/** Calls must not overlap; a call during another one is rejected. */
export interface Session {
  reset(start: RecordedStart): Promise<ResetResult>
  step(action: unknown): Promise<StepResult>
  score(request: GymCalls['score']['input']): Promise<ScoreResult>
  /** Abandons the episode, if there is one, and leaves the lab cluster ready for another session. */
  close(): Promise<void>
}

/** On this machine, an incident that was not prepared is tried again. A simulated cluster would fail in the same way. */
const MAX_TRIES = 2

interface Current {
  readonly episode: GymEpisode
  readonly incident: Incident
}

const misuse = (message: string): RemediumError => new RemediumError('bad-argument', message)

const createLabUse = ({ job, faults, labClusters, signal, stage }: SessionTools) => {
  const isReal = usesMachine(job.engine)

  /** Restores the system after an episode. A new simulated cluster is the same for the same seed, regardless of earlier episodes. */
  const cleanUp = async (incident: Incident | undefined, error?: unknown): Promise<void> => {
    const isBroken = error !== undefined && mayHaveBrokenCluster(error)
    if (!isReal || isBroken || incident === undefined) await labClusters.close().catch(() => {})
    else await labClusters.restore(incident)
  }

  const tryToStart = async (start: RecordedStart): Promise<Current> => {
    const { problem, seed, record } = start
    const secret = secretOf(start)
    let incident: Incident | undefined
    try {
      const request = { problem, engine: job.engine, faults, signal, stage, secret }
      const { labCluster }: { labCluster: LabCluster } = await labClusters.open(request)
      stage(`preparing ${problem.id}`)
      incident = await labCluster.laboratory.prepare(problem, { secret })
      labClusters.checkClock()
      const { cluster } = labCluster
      return { incident, episode: await startGymEpisode({ job, incident, cluster, seed, record }) }
    } catch (error) {
      await cleanUp(incident, error)
      // An attempt keeps its own record.
      if (incident === undefined && record !== undefined) {
        const begun = { problem, solver: GYM_SOLVER, engine: job.engine, secret }
        const failure = toRemediumError(error)
        await keepVoidRecord({ path: record, pid: undefined, start: begun, failure, faults })
      }
      throw error
    }
  }

  return {
    cleanUp,
    async start(start: RecordedStart): Promise<Current> {
      for (let tries = 1; ; tries += 1)
        try {
          return await tryToStart(start)
        } catch (error) {
          signal.throwIfAborted()
          if (tries === MAX_TRIES || !isReal || toRemediumError(error).blame === 'operator') throw error
        }
    },
    /** Ends an episode that its caller has abandoned. */
    async abandon({ episode }: Current): Promise<void> {
      const ending = episode.abandon()
      // The verification of a real episode takes up to a minute, and has no effect on the closed cluster.
      if (!isReal) await ending
      await labClusters.close().catch(() => {})
    },
  }
}

export const createSession = (tools: SessionTools): Session => {
  const lab = createLabUse(tools)
  let current: Current | undefined
  /** The end of the last episode: the system is restored while its caller prepares the next call. */
  let cleaning: Promise<void> = Promise.resolve()
  let running: Promise<unknown> | undefined

  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running !== undefined) throw misuse('The previous call of this session has not ended yet.')
    const call = work()
    running = call
    try {
      return await call
    } finally {
      running = undefined
    }
  }

  const leave = async (): Promise<void> => {
    await cleaning
    if (current !== undefined && !current.episode.isOver) await lab.abandon(current)
    current = undefined
  }

  const reset = async (start: RecordedStart): Promise<ResetResult> => {
    await leave()
    current = await lab.start(start)
    return current.episode.first
  }

  const play = async (act: (episode: GymEpisode) => Promise<StepResult>): Promise<StepResult> => {
    if (current === undefined) throw misuse('The session has no episode. Call reset first.')
    const { episode, incident } = current
    if (episode.isOver) throw misuse('The episode has ended. Call reset to start another one.')
    const result = await act(episode)
    if (!episode.isOver) return result
    const { void: reason } = result.info
    const error = reason && new RemediumError(reason.code as 'defect', reason.reason, { blame: reason.blame })
    cleaning = lab.cleanUp(incident, error)
    return result
  }
  const step = (action: unknown): Promise<StepResult> => play((episode) => episode.step(action))

  return {
    reset: (start) => exclusively(() => reset(start)),
    step: (action) => exclusively(() => step(action)),
    score: ({ playbook, answers, ...start }) =>
      exclusively(async () => {
        const isOver = ({ terminated, truncated }: StepResult): boolean => terminated || truncated
        await reset(start)
        const ran = await step({ name: 'run_playbook', input: { playbook } })
        let last = isOver(ran) ? ran : await step({ name: 'submit', input: answers })
        // Answers that name unknown services are refused.
        if (!isOver(last)) last = await play((episode) => episode.giveUp())
        await cleaning
        return { observation: ran.observation, reward: last.reward, info: last.info }
      }),
    async close() {
      // The caller may have left while its call still uses the lab cluster.
      await running?.catch(() => {})
      await leave()
    },
  }
}
