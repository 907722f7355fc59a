/**
 * The program of a worker without a cluster: what it does with an attempt is written in the seed of the problem, as JSON
 * by the name of the attempt, or of the contender: a list of moods, one for each time that it is begun. `ok` where the
 * list has ended.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'
import type { EpisodeJob, FinishedAttempt } from '../attempt.ts'
import type { AgentJob } from '../play/agent-job.ts'
import type { FinishedEpisode } from '../play/to-episode-result.ts'
import { serveJobs } from '../worker/serve-jobs.ts'

const DIARY = process.env.MOODY_DIARY!

const timesBegun = (key: string): number =>
  readFileSync(DIARY, 'utf8')
    .split('\n')
    .filter((line) => line === key).length

const toAttempt = ({ problem, attempts }: EpisodeJob, attempt: string): FinishedAttempt => {
  const { expected } = attempts.find(({ name }) => name === attempt)!
  return {
    problem: problem.id,
    system: problem.system,
    task: problem.task,
    faults: [],
    attempt,
    expected,
    alerts: [],
    felt: true,
    damage: 0,
    outcome: expected,
    reason: `by ${process.pid}`,
    stages: {},
  }
}

const toEpisode = ({ planned, problem }: AgentJob, isResolved: boolean): FinishedEpisode => ({
  episode: planned.episode,
  problem: problem.id,
  system: problem.system,
  task: problem.task,
  faults: [],
  categories: [],
  suite: planned.suite,
  contender: planned.contender.name,
  epoch: planned.epoch,
  outcome: isResolved ? 'resolved' : 'unresolved',
  reason: `by ${process.pid}`,
  judged: {},
  stages: {},
  ended: 0,
  metrics: {
    steps: 1,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    collateralDamage: 0,
    walksLost: 0,
    walks: 0,
  },
})

serveJobs<EpisodeJob | AgentJob, FinishedAttempt | FinishedEpisode>({
  async run(job, { signal, stage, ask, finished }) {
    const { problem, attempts } = job
    const moods = JSON.parse(problem.seed) as Record<string, string[]>
    for (const { name } of attempts) {
      const key = `${problem.id} ${name}`
      const mood = moods['planned' in job ? job.planned.contender.agent : name]?.[timesBegun(key)] ?? 'ok'
      appendFileSync(DIARY, `${key}\n`)
      stage(key)
      if (mood === 'die') process.kill(process.pid, 'SIGKILL')
      if (mood === 'hang') await new Promise(() => {})
      if (mood === 'wait') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        throw new RemediumError('interrupted', 'It was told to end.')
      }
      if (mood === 'unfelt') throw new RemediumError('not-felt', 'Users do not feel it.')
      if (mood === 'jump') throw new RemediumError('clock-jumped', 'The clock was set.')
      if (mood === 'fail') throw new RemediumError('record-lost', 'The disk is full.')
      if (mood === 'no answer') throw new RemediumError('tool-failed', 'No answer.', { blame: 'provider' })
      if (mood === 'misuse') throw new RemediumError('bad-argument', 'There is no such thing')
      const isResolved = mood === 'ask' ? await ask('May I?') : mood !== 'lose'
      finished(name, 'planned' in job ? toEpisode(job, isResolved) : toAttempt(job, name))
    }
  },
  async close() {
    appendFileSync(DIARY, 'closed\n')
  },
})
