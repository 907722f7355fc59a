/**
 * The program of a worker without a cluster. The seed of a problem contains a script as JSON: it maps the name of
 * each attempt, or of each contender's agent, to a list of behaviours, one for each try. Further tries succeed.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { keepRecord } from '#lab/records'
import type { FinishedEpisode, RunJob } from '#lab/runs'
import type { FinishedAttempt, ValidationJob } from '#lab/validation'
import { type JobContext, serveJobs } from '#lab/workers'
import { RemediumError } from '#spec'
import { exampleRecord } from './example-record.ts'
import { SCRIPTED_WORKER_JOURNAL } from './scripted-worker-program.ts'

const JOURNAL = process.env[SCRIPTED_WORKER_JOURNAL]!

const countTries = (key: string): number =>
  readFileSync(JOURNAL, 'utf8')
    .split('\n')
    .filter((line) => line === key).length

const toAttempt = ({ problem, attempts }: ValidationJob, attempt: string): FinishedAttempt => {
  const { expected } = attempts.find(({ name }) => name === attempt)!
  return {
    problem: problem.id,
    system: problem.system,
    task: problem.task,
    faults: [],
    attempt,
    expected,
    alerts: [],
    hasImpact: true,
    damage: 0,
    outcome: expected,
    reason: `by ${process.pid}`,
    stages: {},
  }
}

const toEpisode = ({ planned, problem }: RunJob, isResolved: boolean): FinishedEpisode => ({
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
    journeyRunsFailed: 0,
    journeyRuns: 0,
  },
})

const ERRORS: Readonly<Record<string, () => RemediumError>> = {
  'no-impact': () => new RemediumError('no-user-impact', 'Users are not affected.'),
  unsupported: () => new RemediumError('unsupported', 'The engine cannot run the playbook.'),
  jump: () => new RemediumError('clock-jumped', 'The clock jumped.'),
  fail: () => new RemediumError('record-lost', 'The disk is full.'),
  'no-answer': () => new RemediumError('tool-failed', 'No answer.', { blame: 'provider' }),
  misuse: () => new RemediumError('bad-argument', 'There is no such thing'),
}

/** How many events an example record has before its solver starts. */
const PREPARATION_EVENTS = 4

/** Writes the record up to the work of the solver, and an incomplete line. */
const leaveDraft = ({ record: path, problem, planned }: RunJob): void => {
  const record = keepRecord(path)
  for (const event of exampleRecord().slice(0, PREPARATION_EVENTS + 1))
    record.sink(
      event.type === 'episode-started' ? { ...event, problem, solver: planned.contender.name } : event,
    )
  appendFileSync(`${path}.${process.pid}.part`, '{"at":5000,"type":"step-ta')
}

const isRunJob = (job: ValidationJob | RunJob): job is RunJob => 'planned' in job

serveJobs<ValidationJob | RunJob, FinishedAttempt | FinishedEpisode>({
  async run(job, { signal, stage, ask, result }: JobContext<FinishedAttempt | FinishedEpisode>) {
    const script = JSON.parse(job.problem.seed) as Record<string, string[]>
    const names = isRunJob(job) ? [job.planned.episode] : job.attempts.map(({ name }) => name)
    for (const name of names) {
      const key = `${job.problem.id} ${name}`
      const behaviour = script[isRunJob(job) ? job.planned.contender.agent : name]?.[countTries(key)] ?? 'ok'
      appendFileSync(JOURNAL, `${key}\n`)
      stage(key)
      if (behaviour === 'die-in-episode' && isRunJob(job)) leaveDraft(job)
      if (behaviour.startsWith('die')) process.kill(process.pid, 'SIGKILL')
      if (behaviour === 'hang') await new Promise(() => {})
      if (behaviour === 'wait') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        throw new RemediumError('interrupted', 'The worker was stopped.')
      }
      const error = ERRORS[behaviour]
      if (error !== undefined) throw error()
      const isResolved = behaviour === 'ask' ? await ask('May I?') : behaviour !== 'lose'
      result(isRunJob(job) ? toEpisode(job, isResolved) : toAttempt(job, name))
    }
  },
  async close() {
    appendFileSync(JOURNAL, 'closed\n')
  },
})
