/** The thread that handles packets, as the rest of the engine sees it: it lives while a fault needs it. */
import { closeSync, writeSync } from 'node:fs'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { createPipe } from '../../../linux/index.ts'
import type { PacketFault } from './packet-queue.ts'

/** Just these faults act on the packets of the pod from now on; none end its queue. */
export interface SetPacketFaults {
  type: 'set'
  pod: string
  namespacePath: string
  /** What the pod's device carries in one piece. */
  mtu: number
  faults: readonly PacketFault[]
}

export type PacketCommand = SetPacketFaults | { type: 'end' }

export interface PacketWorkerData {
  port: MessagePort
  /** The thread sleeps in the kernel: a byte here wakes it. */
  wakeFd: number
  seed: string
}

export interface PacketThread {
  /** Resolves when the thread has done it. */
  command(command: PacketCommand): Promise<void>
  /** Resolves when the thread has ended. */
  end(): Promise<void>
}

interface Waiting {
  resolve(): void
  reject(error: Error): void
}

/** `onError` is told when the thread ends by itself, which it must not. */
export const createPacketThread = (seed: string, onError: (error: Error) => void): PacketThread => {
  const { port1: ours, port2: theirs } = new MessageChannel()
  const { readEnd, writeEnd } = createPipe()
  const workerData: PacketWorkerData = { port: theirs, wakeFd: readEnd, seed }
  const worker = new Worker(new URL('./packet-worker.ts', import.meta.url), {
    workerData,
    transferList: [theirs],
    name: 'packets',
    // Options of this process, such as those of a test runner, are not meant for the thread.
    execArgv: [],
    // It closes descriptors that it did not open through Node.
    trackUnmanagedFds: false,
  })
  const waiting = new Map<number, Waiting>()
  let ending = false
  let last = 0
  let failure: Error | undefined

  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      closeSync(readEnd)
      closeSync(writeEnd)
      ours.close()
      if (!ending) failure ??= new Error('the thread that handles packets has ended')
      for (const { resolve: done, reject } of waiting.values()) failure ? reject(failure) : done()
      waiting.clear()
      if (failure !== undefined) onError(failure)
      resolve()
    })
  })
  worker.once('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error))
  })
  ours.on('message', ({ number, error }: { number: number; error?: string }) => {
    const reply = waiting.get(number)
    waiting.delete(number)
    if (error === undefined) reply?.resolve()
    else reply?.reject(new Error(error))
  })

  const command = (content: PacketCommand): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined || ending) return reject(failure ?? new Error('the thread is ending'))
      ending = content.type === 'end'
      last += 1
      waiting.set(last, { resolve, reject })
      ours.postMessage({ number: last, command: content })
      writeSync(writeEnd, '!')
    })

  return {
    command,
    async end() {
      if (failure === undefined && !ending) await command({ type: 'end' })
      await ended
    },
  }
}
