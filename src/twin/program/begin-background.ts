/** What a service does besides answering: it registers, takes messages, and has work of its own. */
import { networkInterfaces } from 'node:os'
import type { RunningBehaviour } from '../behaviour/index.ts'
import { patienceEnd, tryUntil } from './run-start.ts'
import type { Twin } from './twin.ts'

/** The address that others reach this pod at. */
const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address ?? '127.0.0.1'

/**
 * Over HTTP done a moment before it listens: a probe of the port then finds only who can be found by the others, too.
 * Rejects with a StartFailure.
 */
export const register = async (twin: Twin): Promise<void> => {
  const { slice, env, number, port } = twin.settings
  const { register: settings } = slice.behaviour
  if (settings === undefined) return
  const instance = {
    service: settings.as ?? slice.service,
    host: env.POD_IP ?? ownAddress(),
    port: settings.port === undefined ? port : number(settings.port, 'register.port'),
  }
  await tryUntil(patienceEnd(twin), twin.log, async () => {
    const registry = await twin.upstreams.registryClient(settings.in)
    await registry.register(instance)
  })
}

const consume = async (twin: Twin, behaviour: RunningBehaviour): Promise<void> => {
  for (const [queue, { from }] of Object.entries(twin.settings.slice.behaviour.consumes ?? {})) {
    const broker = await twin.upstreams.brokerClient(from)
    broker.consume(queue, (message, headers) => behaviour.consume(queue, message, headers))
  }
}

/** From one beginning to the next, or to the end where a turn takes longer. */
const repeat = (everyMs: number, work: () => Promise<void>): { close(): void } => {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  const turn = async (): Promise<void> => {
    const began = performance.now()
    await work()
    if (!closed) timer = setTimeout(turn, Math.max(0, everyMs - (performance.now() - began)))
  }
  timer = setTimeout(turn, 0)
  return {
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

export const beginBackground = async (
  twin: Twin,
  behaviour: RunningBehaviour,
): Promise<{ close(): void }> => {
  await consume(twin, behaviour)
  const every = Object.entries(twin.settings.slice.behaviour.every ?? {})
  const turns = every.map(([name, { everyMs }]) => repeat(everyMs, () => behaviour.background(name)))
  return {
    close: () => {
      for (const turn of turns) turn.close()
    },
  }
}
