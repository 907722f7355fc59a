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

const spin = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** What runtimes take for their heap, however much the container may have. */
const HEAP_MOST_KIB = 256 * 1024
/** Then the heap is full, or the kernel has ended the process because its container may have no more. */
const LEAK_FILLS_S = 4
const LEAKS_PER_SECOND = 4
/** A collection of a heap that is full; one that is half full is done four times as fast, and called for less often. */
const COLLECTION_MS = 220

/** Until the heap is full. The more is kept, the longer the process stands still to look for what could go. */
const beginFilling = (): NodeJS.Timeout => {
  const limitKib = memoryLimitKib()
  const heapKib = limitKib > 0 ? Math.min(limitKib, HEAP_MOST_KIB) : HEAP_MOST_KIB
  const turnKib = heapKib / (LEAK_FILLS_S * LEAKS_PER_SECOND)
  let keptKib = 0
  return setInterval(() => {
    if (keptKib < heapKib && loseMemory(turnKib)) keptKib += turnKib
    spin(COLLECTION_MS * (keptKib / heapKib) ** 2)
  }, 1000 / LEAKS_PER_SECOND)
}

/** By time where the release says nothing of its leak. */
const beginLeak = ({
  kibPerRequest,
  kibPerSecond = 0,
}: Extract<Defect, { kind: 'leak' }>): NodeJS.Timeout => {
  if (kibPerRequest === undefined && kibPerSecond === 0) return beginFilling()
  return setInterval(() => loseMemory(kibPerSecond / LEAKS_PER_SECOND), 1000 / LEAKS_PER_SECOND)
}

const HOT_AFTER_MS = 1000
const HOT_BUSY_MS = 120
const HOT_PAUSE_MS = 10

/** Busy for most of the time that a core has; what is left is for the requests. */
const beginHotLoop = (): (() => void) => {
  const turn = (): void => {
    spin(HOT_BUSY_MS)
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
