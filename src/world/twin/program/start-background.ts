/** Registers a service, consumes its queues, and runs its background work. */
import { type RunningBehaviour, repeat } from '#world/twin/behaviour'
import { retryUntil, startDeadline } from './run-start.ts'
import type { Twin } from './twin.ts'

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
    host: env.POD_IP ?? twin.host.address,
    port: settings.port === undefined ? port : evaluateNumber(settings.port, 'register.port'),
  }
  await retryUntil(startDeadline(twin), twin, async () => {
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

export const startBackground = async (
  twin: Twin,
  behaviour: RunningBehaviour,
): Promise<{ close(): void }> => {
  await consumeQueues(twin, behaviour)
  const every = Object.entries(twin.settings.slice.behaviour.every ?? {})
  const stops = every.map(([name, { everyMs }]) =>
    repeat(twin.host.time, 0, everyMs, () => behaviour.runBackground(name)),
  )
  return {
    close: () => {
      for (const stop of stops) stop()
    },
  }
}
