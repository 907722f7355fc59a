/** Starts and controls the thread that handles packets. */
import { closeSync, writeSync } from 'node:fs'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { createPipe } from '#machine/linux'
import type { PacketFault } from './packet-queue.ts'

/** Replaces the faults on the packets of the pod; an empty list closes its queue. */
export interface SetPacketFaults {
  type: 'set'
  pod: string
  namespacePath: string
  /** The MTU of the pod's device. */
  mtu: number
  faults: readonly PacketFault[]
}

export type PacketCommand = SetPacketFaults | { type: 'end' }

export interface PacketWorkerData {
  port: MessagePort
  /** A byte on this descriptor wakes the thread. */
  wakeFd: number
  seed: string
}

export interface PacketThread {
  /** Resolves when the thread has executed the command. */
  command(command: PacketCommand): Promise<void>
  /** Resolves when the thread has ended. */
  end(): Promise<void>
}

interface PendingCommand {
  resolve(): void
  reject(error: Error): void
}

/** `onError` is called if the thread ends unexpectedly. */
export const createPacketThread = (seed: string, onError: (error: Error) => void): PacketThread => {
  const { port1: hostPort, port2: workerPort } = new MessageChannel()
  const { readEnd, writeEnd } = createPipe()
  const workerData: PacketWorkerData = { port: workerPort, wakeFd: readEnd, seed }
  const worker = new Worker(new URL('./packet-worker.ts', import.meta.url), {
    workerData,
    transferList: [workerPort],
    name: 'packets',
    // Does not inherit the options of this process, such as those of a test runner.
    execArgv: [],
    // The thread closes descriptors that Node did not open.
    trackUnmanagedFds: false,
  })
  const pending = new Map<number, PendingCommand>()
  let ending = false
  let lastNumber = 0
  let failure: Error | undefined

  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      closeSync(readEnd)
      closeSync(writeEnd)
      hostPort.close()
      if (!ending) failure ??= new Error('the thread that handles packets has ended')
      for (const { resolve: done, reject } of pending.values()) failure ? reject(failure) : done()
      pending.clear()
      if (failure !== undefined) onError(failure)
      resolve()
    })
  })
  worker.once('error', (error) => {
    failure = error instanceof Error ? error : new Error(String(error))
  })
  hostPort.on('message', ({ number, error }: { number: number; error?: string }) => {
    const reply = pending.get(number)
    pending.delete(number)
    if (error === undefined) reply?.resolve()
    else reply?.reject(new Error(error))
  })

  const command = (content: PacketCommand): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined || ending) return reject(failure ?? new Error('the thread is ending'))
      ending = content.type === 'end'
      lastNumber += 1
      pending.set(lastNumber, { resolve, reject })
      hostPort.postMessage({ number: lastNumber, command: content })
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
