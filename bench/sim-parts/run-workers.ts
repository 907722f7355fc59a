/** Runs worker processes that play episodes of one problem at the same time, as the workers of a run do. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Problem } from '#spec'
import type { WorkerFigures, WorkerReply } from './sim-worker.ts'

/** The flags with which `remedium` runs workers. */
const WORKER_FLAGS = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning']
const WORKER = join(import.meta.dirname, 'sim-worker.ts')

export interface WorkersOptions {
  readonly workers: number
  /** Episodes of each worker before the measured ones, in which V8 compiles the code. */
  readonly warmUps: number
  /** Measured episodes of each worker. */
  readonly episodes: number
  readonly timeoutMs: number
}

const runWorker = (
  problem: Problem,
  { warmUps, episodes, timeoutMs }: WorkersOptions,
): Promise<WorkerFigures> =>
  new Promise((resolve, reject) => {
    const child = fork(WORKER, [JSON.stringify(problem), String(warmUps), String(episodes)], {
      execArgv: WORKER_FLAGS,
    })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`a worker did not finish in ${timeoutMs / 1000} s`))
    }, timeoutMs)
    child.once('message', (reply: WorkerReply) =>
      'error' in reply ? reject(new Error(reply.error)) : resolve(reply),
    )
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`a worker ended early, with ${signal ?? `code ${code}`}`))
    })
  })

/** Rejects with the first failure, after all workers have ended. */
export const runWorkers = async (
  problem: Problem,
  options: WorkersOptions,
): Promise<readonly WorkerFigures[]> => {
  const running = Array.from({ length: options.workers }, () => runWorker(problem, options))
  await Promise.allSettled(running)
  return Promise.all(running)
}
