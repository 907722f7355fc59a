/** The thread that handles the packets of all pods with network faults. */
import { readSync } from 'node:fs'
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createRandom, createTimerHeap, monotonicMs } from '#kit'
import { raiseThreadPriority, resetThreadPriority, waitForReadable } from '#machine/linux'
import { createAdaptivePriority } from './adaptive-priority.ts'
import { createPacketQueue, type PacketQueue } from './packet-queue.ts'
import type { PacketCommand, PacketWorkerData } from './packet-thread.ts'

/** A thread that waits in the kernel cannot be terminated, so it wakes up regularly. */
const MAX_SLEEP_MS = 250
const MESSAGE_BYTES = 128 << 10

const { port, wakeFd, seed } = workerData as PacketWorkerData
const random = createRandom(seed)
const timers = createTimerHeap()
const queues = new Map<string, PacketQueue>()
const buffer = Buffer.alloc(MESSAGE_BYTES)
let running = true

const execute = (command: PacketCommand): void => {
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

const executeAll = (): void => {
  readSync(wakeFd, buffer, 0, 64, null)
  for (;;) {
    const received = receiveMessageOnPort(port) as
      | { message: { number: number; command: PacketCommand } }
      | undefined
    if (received === undefined) return
    const { number, command } = received.message
    try {
      execute(command)
      port.postMessage({ number })
    } catch (error) {
      port.postMessage({ number, error: error instanceof Error ? error.message : String(error) })
    }
  }
}

/** Waits until a descriptor is readable or a timer is due; returns the readable descriptors. */
const waitForEvents = (): ReadonlySet<number> => {
  const untilTimerMs = (timers.nextAt ?? Number.POSITIVE_INFINITY) - monotonicMs()
  const fds = [wakeFd, ...[...queues.values()].map(({ fd }) => fd)]
  return new Set(waitForReadable(fds, Math.min(MAX_SLEEP_MS, untilTimerMs)))
}

const runDueTimers = (): void => {
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

// Packets must be sent on time even on a busy machine.
const adjustPriority = createAdaptivePriority({
  now: monotonicMs,
  usedMs,
  raise: raiseThreadPriority,
  restore: resetThreadPriority,
})
while (running) {
  const readable = waitForEvents()
  runDueTimers()
  for (const queue of queues.values()) if (readable.has(queue.fd)) queue.receive()
  if (readable.has(wakeFd)) executeAll()
  adjustPriority()
}
for (const queue of queues.values()) queue.close()
port.close()
