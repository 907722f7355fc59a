/** Registers a service, consumes its queues, and runs its background work. */
import { networkInterfaces } from 'node:os'
import type { RunningBehaviour } from '#world/twin/behaviour'
import { retryUntil, startDeadline } from './run-start.ts'
import type { Twin } from './twin.ts'

/** Returns the IP address of this pod. */
const findPodAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address !== undefined && !address.internal && address.family === 'IPv4')?.address ??
  '127.0.0.1'

/**
 * HTTP services register just before they listen, so that a pod whose port answers a probe is also
 * registered. Rejects with a StartFailure.
 */
export const register = async (twin: Twin): Promise<void> => {
  const { slice, env, evaluateNumber, port } = twin.settings
  const { register: settings } = slice.behaviour
  if (settings === undefined) return
  const instance = {
    service: settings.as ?? slice.service,
    host: env.POD_IP ?? findPodAddress(),
    port: settings.port === undefined ? port : evaluateNumber(settings.port, 'register.port'),
  }
  await retryUntil(startDeadline(twin), twin.log, async () => {
    const registry = await twin.upstreams.registryClient(settings.in)
    await registry.register(instance)
  })
}

const consumeQueues = async (twin: Twin, behaviour: RunningBehaviour): Promise<void> => {
  for (const [queue, { from }] of Object.entries(twin.settings.slice.behaviour.consumes ?? {})) {
    const broker = await twin.upstreams.brokerClient(from)
    broker.consume(queue, (message, headers) => behaviour.consume(queue, message, headers))
  }
}

/** Starts `work` every `everyMs`, or when the previous run ends if that takes longer. */
const repeat = (everyMs: number, work: () => Promise<void>): { close(): void } => {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  const tick = async (): Promise<void> => {
    const startedAt = performance.now()
    await work()
    if (!closed) timer = setTimeout(tick, Math.max(0, everyMs - (performance.now() - startedAt)))
  }
  timer = setTimeout(tick, 0)
  return {
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

export const startBackground = async (
  twin: Twin,
  behaviour: RunningBehaviour,
): Promise<{ close(): void }> => {
  await consumeQueues(twin, behaviour)
  const every = Object.entries(twin.settings.slice.behaviour.every ?? {})
  const tasks = every.map(([name, { everyMs }]) => repeat(everyMs, () => behaviour.runBackground(name)))
  return {
    close: () => {
      for (const task of tasks) task.close()
    },
  }
}
