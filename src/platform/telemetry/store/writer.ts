/** Controls the thread that writes a telemetry file. */
import { Worker } from 'node:worker_threads'
import { RemediumError } from '#spec'
import { addCounts, noSignals, type SignalCounts } from './signal-kinds.ts'
import type { WriteBatch, WriterCommand, WriterReply, WriterSettings } from './write-batch.ts'

export interface WriterOptions extends WriterSettings {
  onError(error: Error): void
  /** Called when the thread has ended and no more batches are written. */
  onExit(): void
}

export interface Writer {
  /** Whether the thread runs and no batch is in flight. */
  isIdle(): boolean
  /** Resolves when no batch is in flight. */
  idle(): Promise<void>
  /** May be called only while the writer is idle. */
  write(batch: WriteBatch): void
  /** Keeps the process alive while `task` waits for the thread. */
  keepAlive(task: () => Promise<void>): Promise<void>
  /** Throws if the disk or the thread has lost signals. */
  throwIfLost(): void
  close(dropped: SignalCounts): Promise<void>
  readonly failed: SignalCounts
  readonly evicted: SignalCounts
}

const startThread = (settings: WriterSettings): Worker => {
  const program = new URL('./write-thread.ts', import.meta.url)
  const worker = new Worker(program, { workerData: settings, name: 'telemetry', execArgv: [] })
  worker.unref()
  return worker
}

export const createWriter = ({ file, maxBytes, onError, onExit }: WriterOptions): Writer => {
  const [failed, evicted] = [noSignals(), noSignals()]
  const worker = startThread({ file, maxBytes })
  /** Initially pending: the first reply of the thread says that the file exists. */
  let inFlight: PromiseWithResolvers<void> | undefined = Promise.withResolvers()
  let isClosing = false
  let hasEnded = false
  let lossError: RemediumError | undefined

  const noteLoss = (reason: string): void => {
    lossError ??= new RemediumError(
      'record-lost',
      `The telemetry file ${file} cannot be written: ${reason}.`,
      { hint: 'Check whether the disk is full.' },
    )
  }
  const settle = (): void => {
    inFlight?.resolve()
    inFlight = undefined
  }
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      hasEnded = true
      onExit()
      settle()
      if (!isClosing) {
        noteLoss('the writer thread has ended')
        onError(new Error('the thread that writes telemetry has ended'))
      }
      resolve()
    })
  })
  worker.once('error', (thrown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    noteLoss(error.message)
    onError(error)
  })
  worker.on('message', (reply: WriterReply) => {
    addCounts(failed, reply.failed)
    addCounts(evicted, reply.evicted)
    if (reply.problem !== undefined) {
      if (reply.isDiskFailure === true) noteLoss(reply.problem)
      onError(new Error(`telemetry was not written: ${reply.problem}`))
    }
    settle()
  })
  const send = (command: WriterCommand): void => worker.postMessage(command)

  return {
    failed,
    evicted,
    isIdle: () => !hasEnded && inFlight === undefined,
    async idle() {
      await inFlight?.promise
    },
    write(batch) {
      inFlight = Promise.withResolvers()
      send({ command: 'write', batch })
    },
    async keepAlive(task) {
      worker.ref()
      try {
        await task()
      } finally {
        if (!isClosing) worker.unref()
      }
    },
    throwIfLost() {
      if (lossError !== undefined) throw lossError
    },
    async close(dropped) {
      isClosing = true
      worker.ref()
      send({ command: 'close', dropped })
      await exited
    },
  }
}
