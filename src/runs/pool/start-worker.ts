/** One worker: a process of its own, with an engine of its own, that does one job after another. */
import { type ChildProcess, fork } from 'node:child_process'
import { type Clock, createRealClock, type Timer } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { createWorkerFolder } from './worker-folder.ts'
import type { Failure, Job, WorkerMessage, WorkerOrder } from './worker-messages.ts'

/** As `remedium` runs an engine. */
const FLAGS = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning']
/** What a worker gets for clearing away before it is ended by force. */
const END_MS = 45_000

export interface WorkerOptions {
  /** The file of its program. */
  readonly program: string
  /** A worker that says nothing for so long has hung. */
  readonly silenceMs: number
  readonly clock?: Clock
}

export interface JobListener<R> {
  onStage(text: string): void
  onAttempt(name: string, result: R): void
  /** Of somebody whom the worker's solver must ask; no where absent. */
  onQuestion?(text: string): Promise<boolean>
}

/** `lost`: the worker is not to be used again. */
export type JobEnd = { readonly failure?: Failure; readonly lost: boolean }

export interface Worker<J extends Job, R> {
  readonly pid: number
  /** Never rejects. */
  run(job: J, listener: JobListener<R>): Promise<JobEnd>
  /** Resolves when the process has ended and had the time to clear away. */
  end(): Promise<void>
}

/** With whatever it has started itself and not cleared away. */
const killAll = ({ pid }: ChildProcess): void => {
  try {
    process.kill(-pid!, 'SIGKILL')
  } catch {
    // None of them is left.
  }
}

const toLoss = (code: number | null, signal: string | null): Failure => ({
  code: 'cluster-lost',
  message: `The worker's process has ended ${signal === null ? `with code ${code}` : `by ${signal}`}.`,
  blame: 'harness',
})

/** Where the clock was set, a worker stays with the old time, and all that it starts from then on has the new one. */
const toEnd = (failure: Failure): JobEnd => ({ failure, lost: failure.code === 'clock-jumped' })

/** Resolves when it listens. */
export const startWorker = async <J extends Job, R>(options: WorkerOptions): Promise<Worker<J, R>> => {
  const { program, silenceMs, clock = createRealClock({ keepsAlive: true }) } = options
  const folder = createWorkerFolder()
  const child = fork(program, {
    execArgv: FLAGS,
    env: { ...process.env, TMPDIR: folder.path },
    // A group of its own: Ctrl-C on a terminal reaches the parent alone, which decides what becomes of it.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let hear: (message: WorkerMessage<R>) => void = () => {}
  let ended: Failure | undefined
  const { promise: gone, resolve: tellGone } = Promise.withResolvers<Failure>()
  child.on('message', (message: WorkerMessage<R>) => hear(message))
  child.on('error', (error) => tellGone({ code: 'defect', message: error.message, blame: 'harness' }))
  // Heard after all messages.
  child.on('close', (code, signal) => tellGone(toLoss(code, signal)))
  const cleared = gone.then((failure) => {
    ended = failure
    killAll(child)
    folder.remove()
  })
  cleared.catch(() => {})
  const order = (given: WorkerOrder<J>): void => {
    if (child.connected) child.send(given, () => {})
  }

  const ready = new Promise<void>((resolve) => {
    hear = ({ kind }) => kind === 'ready' && resolve()
  })
  const first = await Promise.race([ready, gone])
  if (first !== undefined) throw new RemediumError('defect', first.message, { hint: 'See what it printed.' })

  return {
    pid: child.pid!,
    run(job, { onStage, onAttempt, onQuestion = async () => false }) {
      const { promise, resolve } = Promise.withResolvers<JobEnd>()
      let patience: Timer | undefined
      const wait = (): void => {
        patience?.cancel()
        patience = clock.after(silenceMs, () => {
          const message = `The worker said nothing for ${Math.round(silenceMs / 1000)} s.`
          resolve({ failure: { code: 'not-ready', message, blame: 'harness' }, lost: true })
          killAll(child)
        })
      }
      const ask = async (question: number, text: string): Promise<void> => {
        const yes = await onQuestion(text).catch(() => false)
        order({ kind: 'answer', question, yes })
      }
      hear = (message) => {
        wait()
        if (message.kind === 'stage') onStage(message.text)
        else if (message.kind === 'attempt') onAttempt(message.name, message.result)
        else if (message.kind === 'question') void ask(message.question, message.text)
        else if (message.kind === 'done') resolve({ lost: false })
        else if (message.kind === 'failed') resolve(toEnd(message.failure))
      }
      void cleared.catch(() => {}).then(() => ended && resolve({ failure: ended, lost: true }))
      wait()
      order({ kind: 'job', job })
      return promise.finally(() => {
        patience?.cancel()
        hear = () => {}
      })
    },
    async end() {
      if (ended !== undefined) return await cleared
      order({ kind: 'end' })
      const force = clock.after(END_MS, () => killAll(child))
      await cleared.finally(() => force.cancel())
    },
  }
}
