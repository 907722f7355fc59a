/** Starts a worker: a process with an engine of its own that does one job after another. */
import { type ChildProcess, fork } from 'node:child_process'
import { type Clock, createRealClock, type Timer } from '#kit'
import { RemediumError } from '#spec'
import type { Failure, WorkerMessage, WorkerOrder } from '../worker-messages.ts'
import { createWorkerFolder } from './worker-folder.ts'

/** The flags with which `remedium` runs an engine. */
const NODE_FLAGS = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning']
/** The time that a worker gets to clean up before it is killed. */
const END_TIMEOUT_MS = 45_000

export interface WorkerOptions {
  /** The path of the worker's program. */
  readonly program: string
  /** A worker that sends nothing for this time is treated as hung. */
  readonly silenceMs: number
  readonly clock?: Clock
}

export interface JobListener<R> {
  onStage(text: string): void
  onResult(result: R): void
  /** Asks the operator; the answer is no by default. */
  onQuestion?(text: string): Promise<boolean>
}

export interface JobEnd {
  readonly failure?: Failure
  /** Whether the worker cannot be used again. */
  readonly isLost: boolean
}

export interface Worker<J, R> {
  readonly pid: number
  /** Never rejects. */
  run(job: J, listener: JobListener<R>): Promise<JobEnd>
  /** Sends input to the current job. A worker that has ended ignores it. */
  send(input: unknown): void
  /** Resolves when the process has ended; it gets time to clean up. */
  end(): Promise<void>
}

/** Kills the process group, with everything that the worker has started. */
const killGroup = ({ pid }: ChildProcess): void => {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}

const toExitFailure = (code: number | null, signal: string | null): Failure => ({
  code: 'cluster-lost',
  message: `The worker's process ended ${signal === null ? `with code ${code}` : `by ${signal}`}.`,
  blame: 'harness',
})

/** After a clock jump, a worker keeps the old time, while every process that it starts has the new one. */
const toJobEnd = (failure: Failure): JobEnd => ({ failure, isLost: failure.code === 'clock-jumped' })

interface Child<J, R> {
  readonly process: ChildProcess
  send(order: WorkerOrder<J>): void
  /** Replaces the listener for messages. */
  listen(listener: (message: WorkerMessage<R>) => void): void
  /** Resolves when the process has ended, before its folder is removed. */
  readonly ended: Promise<Failure>
  /** Resolves when its folder is removed. */
  readonly removed: Promise<void>
  readonly failure: Failure | undefined
}

const startChild = <J, R>(program: string): Child<J, R> => {
  const folder = createWorkerFolder()
  const child = fork(program, {
    execArgv: NODE_FLAGS,
    env: { ...process.env, TMPDIR: folder.path },
    // A process group of its own: Ctrl-C reaches the parent only, which decides when the worker ends.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let listener: (message: WorkerMessage<R>) => void = () => {}
  let failure: Failure | undefined
  const { promise: ended, resolve } = Promise.withResolvers<Failure>()
  child.on('message', (message: WorkerMessage<R>) => listener(message))
  child.on('error', (error) => resolve({ code: 'defect', message: error.message, blame: 'harness' }))
  // `close` comes after all messages.
  child.on('close', (code, signal) => resolve(toExitFailure(code, signal)))
  const removed = ended.then((loss) => {
    failure = loss
    killGroup(child)
    folder.remove()
  })
  removed.catch(() => {})
  return {
    process: child,
    ended,
    removed,
    get failure() {
      return failure
    },
    listen(next) {
      listener = next
    },
    send(order) {
      if (child.connected) child.send(order, () => {})
    },
  }
}

/** Sends one job, and waits until it ends; a worker that is silent for too long is killed. */
const sendJob = <J, R>(
  child: Child<J, R>,
  job: J,
  { onStage, onResult, onQuestion = async () => false }: JobListener<R>,
  { silenceMs, clock }: { silenceMs: number; clock: Clock },
): Promise<JobEnd> => {
  const { promise, resolve } = Promise.withResolvers<JobEnd>()
  let timeout: Timer | undefined
  const restartTimeout = (): void => {
    timeout?.cancel()
    timeout = clock.after(silenceMs, () => {
      const message = `The worker sent nothing for ${Math.round(silenceMs / 1000)} s.`
      resolve({ failure: { code: 'not-ready', message, blame: 'harness' }, isLost: true })
      killGroup(child.process)
    })
  }
  const forwardQuestion = async (question: number, text: string): Promise<void> => {
    const yes = await onQuestion(text).catch(() => false)
    child.send({ kind: 'answer', question, yes })
  }
  child.listen((message) => {
    restartTimeout()
    if (message.kind === 'stage') onStage(message.text)
    else if (message.kind === 'result') onResult(message.result)
    else if (message.kind === 'question') void forwardQuestion(message.question, message.text)
    else if (message.kind === 'done') resolve({ isLost: false })
    else if (message.kind === 'failed') resolve(toJobEnd(message.failure))
  })
  void child.removed
    .catch(() => {})
    .then(() => child.failure && resolve({ failure: child.failure, isLost: true }))
  restartTimeout()
  child.send({ kind: 'job', job })
  return promise.finally(() => {
    timeout?.cancel()
    child.listen(() => {})
  })
}

/** Resolves when the worker is ready for jobs. */
export const startWorker = async <J, R>(options: WorkerOptions): Promise<Worker<J, R>> => {
  const { program, silenceMs, clock = createRealClock({ keepsAlive: true }) } = options
  const child = startChild<J, R>(program)
  const ready = new Promise<void>((resolve) => {
    child.listen(({ kind }) => kind === 'ready' && resolve())
  })
  const loss = await Promise.race([ready, child.ended])
  if (loss !== undefined)
    throw new RemediumError('defect', loss.message, { hint: 'See the output of the worker above.' })
  return {
    pid: child.process.pid!,
    run: (job, listener) => sendJob(child, job, listener, { silenceMs, clock }),
    send: (input) => child.send({ kind: 'input', input }),
    async end() {
      if (child.failure !== undefined) return await child.removed
      child.send({ kind: 'end' })
      const force = clock.after(END_TIMEOUT_MS, () => killGroup(child.process))
      await child.removed.finally(() => force.cancel())
    },
  }
}
