/**
 * The program of a worker without a cluster: what it does with an attempt is written in the seed of the problem, as JSON
 * by the name of the attempt: a list of moods, one for each time that it is begun. `ok` where the list has ended.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'
import type { EpisodeJob, FinishedAttempt } from '../attempt.ts'
import { serveJobs } from '../worker/serve-jobs.ts'

const DIARY = process.env.MOODY_DIARY!

const timesBegun = (key: string): number =>
  readFileSync(DIARY, 'utf8')
    .split('\n')
    .filter((line) => line === key).length

serveJobs<EpisodeJob, FinishedAttempt>({
  async run({ problem, attempts }, { signal, stage, finished }) {
    const moods = JSON.parse(problem.seed) as Record<string, string[]>
    for (const { name, expected } of attempts) {
      const key = `${problem.id} ${name}`
      const mood = moods[name]?.[timesBegun(key)] ?? 'ok'
      appendFileSync(DIARY, `${key}\n`)
      stage(key)
      if (mood === 'die') process.kill(process.pid, 'SIGKILL')
      if (mood === 'hang') await new Promise(() => {})
      if (mood === 'wait') await new Promise((resolve) => signal.addEventListener('abort', resolve))
      if (mood === 'unfelt') throw new RemediumError('not-felt', 'Users do not feel it.')
      if (mood === 'fail') throw new RemediumError('record-lost', 'The disk is full.')
      const { id, system, task } = problem
      finished(name, {
        ...{
          problem: id,
          system,
          task,
          faults: [],
          attempt: name,
          expected,
          alerts: [],
          felt: true,
          damage: 0,
        },
        ...{ outcome: expected, reason: `by ${process.pid}`, stages: {} },
      })
    }
  },
  async close() {
    appendFileSync(DIARY, 'closed\n')
  },
})
