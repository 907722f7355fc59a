/** The thread that handles the packets of all pods with network faults: it sleeps in the kernel until there is one. */
import { readSync } from 'node:fs'
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createRandom, createTimerHeap, monotonicMs } from '../../../kit/index.ts'
import { preferThisThread, treatThisThreadAsOthers, waitForReadable } from '../../../linux/index.ts'
import { createModestPriority } from './modest-priority.ts'
import { createPacketQueue, type PacketQueue } from './packet-queue.ts'
import type { PacketCommand, PacketWorkerData } from './packet-thread.ts'

/** A thread asleep in the kernel cannot be ended: it looks up from time to time. */
const LONGEST_SLEEP_MS = 250
const MESSAGE_BYTES = 128 << 10

const { port, wakeFd, seed } = workerData as PacketWorkerData
const random = createRandom(seed)
const timers = createTimerHeap()
const queues = new Map<string, PacketQueue>()
const buffer = Buffer.alloc(MESSAGE_BYTES)
let running = true

const obey = (command: PacketCommand): void => {
  if (command.type === 'end') {
    running = false
    return
  }
  const { pod, namespacePath, mtu, faults } = command
  let queue = queues.get(pod)
  if (faults.length === 0) {
    queues.delete(pod)
    queue?.close()
    return
  }
  if (queue === undefined) {
    queue = createPacketQueue({ namespacePath, mtu, timers, random: random.fork(pod), buffer })
    queues.set(pod, queue)
  }
  queue.setFaults(faults)
}

const obeyAll = (): void => {
  readSync(wakeFd, buffer, 0, 64, null)
  for (;;) {
    const received = receiveMessageOnPort(port) as
      | { message: { number: number; command: PacketCommand } }
      | undefined
    if (received === undefined) return
    const { number, command } = received.message
    try {
      obey(command)
      port.postMessage({ number })
    } catch (error) {
      port.postMessage({ number, error: error instanceof Error ? error.message : String(error) })
    }
  }
}

/** Sleeps until something can be read or is due, and gives the descriptors that can be read. */
const sleep = (): ReadonlySet<number> => {
  const left = (timers.nextAt ?? Number.POSITIVE_INFINITY) - monotonicMs()
  const fds = [wakeFd, ...[...queues.values()].map(({ fd }) => fd)]
  return new Set(waitForReadable(fds, Math.min(LONGEST_SLEEP_MS, left)))
}

const sendDue = (): void => {
  for (;;) {
    const due = timers.take(monotonicMs())
    if (due === undefined) return
    due.task()
  }
}

const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// Packets must go when they are due, however busy the machine is.
const keepModest = createModestPriority({
  now: monotonicMs,
  used: usedMs,
  prefer: preferThisThread,
  treatAsOthers: treatThisThreadAsOthers,
})
while (running) {
  const readable = sleep()
  sendDue()
  for (const queue of queues.values()) if (readable.has(queue.fd)) queue.receive()
  if (readable.has(wakeFd)) obeyAll()
  keepModest()
}
for (const queue of queues.values()) queue.close()
port.close()
