/** The worker's side of the channel: takes jobs one by one, and ends when it is told to or when nobody listens. */
import { toRemediumError } from '../../spec/index.ts'
import type { EpisodeJob } from '../attempt.ts'
import { removeOwnFolder } from '../pool/worker-folder.ts'
import type { FinishedAttempt, WorkerMessage, WorkerOrder } from '../pool/worker-messages.ts'

export interface JobContext {
  readonly signal: AbortSignal
  stage(text: string): void
  finished(result: FinishedAttempt): void
}

export interface JobServer {
  /** Rejects where the harness fails; what was finished before counts. */
  run(job: EpisodeJob, context: JobContext): Promise<void>
  /** Leaves nothing behind. */
  close(): Promise<void>
}

const tell = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })

const doJob = async (server: JobServer, job: EpisodeJob, signal: AbortSignal): Promise<void> => {
  try {
    await server.run(job, {
      signal,
      stage: (text) => void tell({ kind: 'stage', text }),
      finished: (result) => void tell({ kind: 'attempt', result }),
    })
    await tell({ kind: 'done' })
  } catch (thrown) {
    const { code, message, blame, cause } = toRemediumError(thrown)
    if (code === 'defect' && !signal.aborted) console.error(cause)
    await tell({ kind: 'failed', failure: { code, message, blame } })
  }
}

/** Serves for as long as the process lives. */
export const serveJobs = (server: JobServer): void => {
  const asked = new AbortController()
  let work: Promise<void> = Promise.resolve()
  const end = (): void => {
    if (asked.signal.aborted) return
    asked.abort(new Error('the worker was told to end'))
    void work
      .then(() => server.close())
      .finally(() => process.connected || removeOwnFolder())
      .then(
        () => process.exit(0),
        (error) => {
          console.error(error)
          process.exit(1)
        },
      )
  }
  // A terminal sends these to all that run on it; the process that started this one decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  process.on('disconnect', end)
  process.on('message', (order: WorkerOrder) => {
    if (order.kind === 'end') end()
    else work = work.then(() => doJob(server, order.job, asked.signal))
  })
  void tell({ kind: 'ready' })
}
