/** What a bad release does wrong in answering requests, and in the background. */
import type { Behaviour, Defect, Wire } from '../../spec/index.ts'
import { loseMemory, memoryLimitKib } from './lost-memory.ts'
import { StepFailure } from './step-failure.ts'

type Kind = Defect['kind']

export const findDefect = <K extends Kind>(
  { defects }: Behaviour,
  kind: K,
): Extract<Defect, { kind: K }> | undefined =>
  defects?.find((defect): defect is Extract<Defect, { kind: K }> => defect.kind === kind)

const SLOW_MS = 700

/** What kubelets ask: it goes well in bad releases, too, or they would never be rolled out. */
export const isHealthEndpoint = (endpoint: string): boolean =>
  /health|\bping\b|\bready\b|\blive/i.test(endpoint)

const FAILURE = 'unexpected null value'

/** The first by name where the release names none; of a service without any a queue it hears, or its own work. */
const failingEndpoint = (behaviour: Behaviour): string | undefined => {
  const defect = findDefect(behaviour, 'failing-endpoint')
  if (defect === undefined) return undefined
  const { endpoints = {}, consumes = {}, every = {} } = behaviour
  const served = Object.keys(endpoints).filter((name) => !isHealthEndpoint(name))
  const names = [...served.sort(), ...Object.keys(consumes), ...Object.keys(every)]
  return defect.endpoint ?? names[0]
}

/** Before work that no request asked for; throws where it fails. `name` is that of the queue or of the work. */
export const createOwnWorkDefects = (behaviour: Behaviour): ((name: string) => void) => {
  const failing = failingEndpoint(behaviour)
  return (name) => {
    if (name === failing) throw new StepFailure(FAILURE)
  }
}

/** What most of those who use such a store ask of it, and no probe does. */
const USUAL_COMMANDS: Readonly<Partial<Record<Wire, string>>> = {
  mysql: 'INSERT',
  redis: 'ZADD',
  memcached: 'get',
  mongodb: 'find',
  amqp: 'basic.publish',
  nacos: 'GET /nacos/v1/ns/instance/list',
  consul: 'GET /v1/health/service/*',
  jaeger: 'query',
}

/** Of a data store: the command that fails. */
export const failingCommand = (behaviour: Behaviour): string | undefined => {
  const defect = findDefect(behaviour, 'failing-endpoint')
  return defect && (defect.endpoint ?? USUAL_COMMANDS[behaviour.wire])
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Before each request; says why it fails, where it does. */
export const createRequestDefects = (
  behaviour: Behaviour,
): ((endpoint: string) => Promise<string | undefined>) | undefined => {
  const slow = findDefect(behaviour, 'slow')
  const leak = findDefect(behaviour, 'leak')
  const failing = failingEndpoint(behaviour)
  if (slow === undefined && leak === undefined && failing === undefined) return undefined
  return async (endpoint) => {
    if (leak?.kibPerRequest !== undefined) loseMemory(leak.kibPerRequest)
    if (slow !== undefined && !isHealthEndpoint(endpoint)) await sleep(slow.ms ?? SLOW_MS)
    return endpoint === failing ? FAILURE : undefined
  }
}

/** A container with a usual limit of memory is at its end after so long, be it large or small. */
const LEAK_FILLS_S = 40
const LEAK_LEAST_KIB = 8 * 1024
/** Also where there is no limit. */
const LEAK_MOST_KIB = 64 * 1024
const LEAKS_PER_SECOND = 4

/** By time where the release says nothing of its leak. */
const leakPerSecond = ({ kibPerRequest, kibPerSecond }: Extract<Defect, { kind: 'leak' }>): number => {
  if (kibPerSecond !== undefined || kibPerRequest !== undefined) return kibPerSecond ?? 0
  const limitKib = memoryLimitKib()
  const filling = limitKib > 0 ? limitKib / LEAK_FILLS_S : LEAK_MOST_KIB
  return Math.min(Math.max(filling, LEAK_LEAST_KIB), LEAK_MOST_KIB)
}

const beginLeak = (leak: Extract<Defect, { kind: 'leak' }>): NodeJS.Timeout => {
  const kib = leakPerSecond(leak) / LEAKS_PER_SECOND
  return setInterval(() => loseMemory(kib), 1000 / LEAKS_PER_SECOND)
}

const HOT_AFTER_MS = 3000
const HOT_BUSY_MS = 40
const HOT_PAUSE_MS = 10

const spin = (): void => {
  const until = performance.now() + HOT_BUSY_MS
  while (performance.now() < until);
}

/** Busy for most of the time that a core has; what is left is for the requests. */
const beginHotLoop = (): (() => void) => {
  const turn = (): void => {
    spin()
    timer = setTimeout(turn, HOT_PAUSE_MS)
  }
  let timer = setTimeout(turn, HOT_AFTER_MS)
  return () => clearTimeout(timer)
}

/** Begins what a bad release does in the background. */
export const beginBackgroundDefects = (behaviour: Behaviour): { close(): void } => {
  const endLoop = findDefect(behaviour, 'hot-loop') === undefined ? undefined : beginHotLoop()
  const leak = findDefect(behaviour, 'leak')
  const leaking = leak === undefined ? undefined : beginLeak(leak)
  return {
    close: () => {
      endLoop?.()
      clearInterval(leaking)
    },
  }
}
