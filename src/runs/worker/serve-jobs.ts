/** The worker's side of the channel: takes jobs one by one, and ends when it is told to or when nobody listens. */
import { createRealClock } from '../../kit/index.ts'
import { toRemediumError } from '../../spec/index.ts'
import { removeOwnFolder } from '../pool/worker-folder.ts'
import type { WorkerMessage, WorkerOrder } from '../pool/worker-messages.ts'

/** What it gets for clearing away where nobody is left to end it by force: then the next command does it. */
const END_MS = 120_000

export interface JobContext<R> {
  readonly signal: AbortSignal
  stage(text: string): void
  /** Says that it lives, where a stage takes longer than anybody waits in silence. */
  alive(): void
  /** Asks a person at the terminal; no where there is none. */
  ask(text: string): Promise<boolean>
  finished(name: string, result: R): void
}

export interface JobServer<J, R> {
  /** Rejects where the harness fails; what was finished before counts. */
  run(job: J, context: JobContext<R>): Promise<void>
  /** Leaves nothing behind. */
  close(): Promise<void>
}

const tell = <R>(message: WorkerMessage<R>): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })

/** What was asked of a person, and how the answer gets to whoever has asked. */
const createQuestions = () => {
  const open = new Map<number, (yes: boolean) => void>()
  let asked = 0
  return {
    ask(text: string): Promise<boolean> {
      asked += 1
      const question = asked
      void tell({ kind: 'question', question, text })
      return new Promise((resolve) => open.set(question, resolve))
    },
    answer(question: number, yes: boolean): void {
      open.get(question)?.(yes)
      open.delete(question)
    },
  }
}

const doJob = async <J, R>(
  server: JobServer<J, R>,
  job: J,
  { signal, ask }: Pick<JobContext<R>, 'signal' | 'ask'>,
): Promise<void> => {
  try {
    await server.run(job, {
      signal,
      ask,
      stage: (text) => void tell({ kind: 'stage', text }),
      alive: () => void tell({ kind: 'alive' }),
      finished: (name, result) => void tell({ kind: 'attempt', name, result }),
    })
    await tell({ kind: 'done' })
  } catch (thrown) {
    const { code, message, blame, cause } = toRemediumError(thrown)
    if (code === 'defect' && cause !== undefined && !signal.aborted) console.error(cause)
    await tell({ kind: 'failed', failure: { code, message, blame } })
  }
}

/** Serves for as long as the process lives. */
export const serveJobs = <J, R>(server: JobServer<J, R>, { endMs = END_MS } = {}): void => {
  const asked = new AbortController()
  const questions = createQuestions()
  let work: Promise<void> = Promise.resolve()
  const end = (): void => {
    if (asked.signal.aborted) return
    asked.abort(new Error('the worker was told to end'))
    createRealClock().after(endMs, () => process.exit(1))
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
  process.on('message', (order: WorkerOrder<J>) => {
    if (order.kind === 'end') end()
    else if (order.kind === 'answer') questions.answer(order.question, order.yes)
    else work = work.then(() => doJob(server, order.job, { signal: asked.signal, ask: questions.ask }))
  })
  void tell({ kind: 'ready' })
}
