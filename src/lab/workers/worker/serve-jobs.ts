/** The worker's side of the channel: runs jobs in order, and exits on request or when its parent has exited. */
import { createRealClock } from '#kit'
import { toRemediumError } from '#spec'
import { removeOwnFolder } from '../pool/worker-folder.ts'
import type { WorkerMessage, WorkerOrder } from '../worker-messages.ts'
import { unlessAborted } from './unless-aborted.ts'

/** The time to clean up if the parent is gone and cannot kill the worker; the next command removes the rest. */
const END_TIMEOUT_MS = 120_000

export interface JobContext<R> {
  readonly signal: AbortSignal
  stage(text: string): void
  /** Sends a heartbeat. */
  alive(): void
  /** Asks the operator at the terminal; resolves with false if there is none. */
  ask(text: string): Promise<boolean>
  result(result: R): void
  /** Sets the function that receives the input for the job. */
  onInput(listener: (input: unknown) => void): void
}

export interface JobServer<J, R> {
  /** Rejects if the harness or a provider fails. Results that were already sent count. */
  run(job: J, context: JobContext<R>): Promise<void>
  /** Closes the lab clusters and leaves nothing behind; later jobs open new ones. */
  close(): Promise<void>
}

/**
 * Whether a lab cluster must be closed after a failed job. A provider that did not answer has not touched the cluster, and an engine that does
 * not support something is not broken.
 */
export const mayHaveBrokenCluster = (thrown: unknown): boolean => {
  const { blame, code } = toRemediumError(thrown)
  return blame !== 'provider' && code !== 'unsupported'
}

const send = <R>(message: WorkerMessage<R>): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })

/** Questions to the operator that wait for their answers. */
const createQuestions = () => {
  const pending = new Map<number, (yes: boolean) => void>()
  let lastQuestion = 0
  return {
    ask(text: string): Promise<boolean> {
      lastQuestion += 1
      const question = lastQuestion
      void send({ kind: 'question', question, text })
      return new Promise((resolve) => pending.set(question, resolve))
    },
    answer(question: number, yes: boolean): void {
      pending.get(question)?.(yes)
      pending.delete(question)
    },
  }
}

/** Input for the current job. It can arrive before the job listens. */
const createInputs = () => {
  let early: unknown[] = []
  let receive: ((input: unknown) => void) | undefined
  return {
    add(input: unknown): void {
      if (receive === undefined) early.push(input)
      else receive(input)
    },
    onInput(listener: (input: unknown) => void): void {
      receive = listener
      for (const input of early.splice(0)) listener(input)
    },
    clear(): void {
      early = []
      receive = undefined
    },
  }
}

const reporters = <R>(): Pick<JobContext<R>, 'stage' | 'alive' | 'result'> => ({
  stage: (text) => void send({ kind: 'stage', text }),
  alive: () => void send({ kind: 'alive' }),
  result: (result) => void send({ kind: 'result', result }),
})

/** Waits for the end of a job, and reports it. */
const reportEnd = async <J, R>(
  running: Promise<void>,
  server: JobServer<J, R>,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await unlessAborted(running, signal)
    await send({ kind: 'done' })
  } catch (thrown) {
    // If the worker is ending, `serveJobs` closes the lab clusters.
    if (!signal.aborted && mayHaveBrokenCluster(thrown)) await server.close().catch(() => {})
    const { code, message, blame, cause } = toRemediumError(thrown)
    if (code === 'defect' && cause !== undefined && !signal.aborted) console.error(cause)
    await send({ kind: 'failed', failure: { code, message, blame } })
  }
}

/** Serves until the process ends. */
export const serveJobs = <J, R>(server: JobServer<J, R>, { endMs = END_TIMEOUT_MS } = {}): void => {
  const ending = new AbortController()
  const questions = createQuestions()
  let work: Promise<void> = Promise.resolve()
  const inputs = createInputs()
  const end = (): void => {
    if (ending.signal.aborted) return
    ending.abort(new Error('the worker was stopped'))
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
  // A signal has the effect of the order `end`: the worker cleans up and exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  process.on('disconnect', end)
  process.on('message', (order: WorkerOrder<J>) => {
    if (order.kind === 'end') end()
    else if (order.kind === 'answer') questions.answer(order.question, order.yes)
    else if (order.kind === 'input') inputs.add(order.input)
    else
      work = work.then(async () => {
        const { signal } = ending
        const context = { signal, ask: questions.ask, onInput: inputs.onInput, ...reporters<R>() }
        await reportEnd(server.run(order.job, context), server, signal)
        inputs.clear()
      })
  })
  void send({ kind: 'ready' })
}
