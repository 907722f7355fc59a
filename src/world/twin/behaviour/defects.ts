/** The defects of bad releases, in requests and in the background. */
import type { Behaviour, Defect, Protocol } from '#spec'
import { leakMemory, readMemoryLimitKib } from './leak-memory.ts'
import { StepFailure } from './step-failure.ts'

type Kind = Defect['kind']

export const findDefect = <K extends Kind>(
  { defects }: Behaviour,
  kind: K,
): Extract<Defect, { kind: K }> | undefined =>
  defects?.find((defect): defect is Extract<Defect, { kind: K }> => defect.kind === kind)

const SLOW_MS = 700

/**
 * Whether the kubelet probes this endpoint, judged by its name. It works in bad releases, too; otherwise they
 * would not roll out.
 */
export const isHealthEndpoint = (endpoint: string): boolean =>
  /health|\bping\b|\bready\b|\blive/i.test(endpoint)

const FAILURE = 'unexpected null value'

/**
 * The declared endpoint, or the first one by name; in a service without endpoints, a queue or background
 * work.
 */
const failingEndpoint = (behaviour: Behaviour): string | undefined => {
  const defect = findDefect(behaviour, 'failing-endpoint')
  if (defect === undefined) return undefined
  const { endpoints = {}, consumes = {}, every = {} } = behaviour
  const served = Object.keys(endpoints).filter((name) => !isHealthEndpoint(name))
  const names = [...served.sort(), ...Object.keys(consumes), ...Object.keys(every)]
  return defect.endpoint ?? names[0]
}

/** Returns a function that throws if the queue or background work with this name is defective. */
export const createInternalDefects = (behaviour: Behaviour): ((name: string) => void) => {
  const failing = failingEndpoint(behaviour)
  return (name) => {
    if (name === failing) throw new StepFailure(FAILURE)
  }
}

/** A command that most clients use but no probe does, by protocol. */
const COMMON_COMMANDS: Readonly<Partial<Record<Protocol, string>>> = {
  mysql: 'INSERT',
  redis: 'ZADD',
  memcached: 'get',
  mongodb: 'find',
  amqp: 'basic.publish',
  nacos: 'GET /nacos/v1/ns/instance/list',
  consul: 'GET /v1/health/service/*',
  jaeger: 'query',
}

/** The failing command of a data store. */
export const failingCommand = (behaviour: Behaviour): string | undefined => {
  const defect = findDefect(behaviour, 'failing-endpoint')
  return defect && (defect.endpoint ?? COMMON_COMMANDS[behaviour.protocol])
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Returns a function to call before each request; it resolves to an error message if the request must fail.
 * Returns undefined if the release has no such defect.
 */
export const createRequestDefects = (
  behaviour: Behaviour,
): ((endpoint: string) => Promise<string | undefined>) | undefined => {
  const slow = findDefect(behaviour, 'slow')
  const leak = findDefect(behaviour, 'leak')
  const failing = failingEndpoint(behaviour)
  if (slow === undefined && leak === undefined && failing === undefined) return undefined
  return async (endpoint) => {
    if (leak?.kibPerRequest !== undefined) leakMemory(leak.kibPerRequest)
    if (slow !== undefined && !isHealthEndpoint(endpoint)) await sleep(slow.ms ?? SLOW_MS)
    return endpoint === failing ? FAILURE : undefined
  }
}

const spin = (ms: number): void => {
  const deadline = performance.now() + ms
  while (performance.now() < deadline);
}

/** The heap limit of a runtime, unless the memory limit of the container is smaller. */
const MAX_HEAP_KIB = 256 * 1024
/** The time until the heap is full, or the kernel has killed the process at its memory limit. */
const HEAP_FILL_SECONDS = 4
const LEAKS_PER_SECOND = 4
/** The garbage collection pause with a full heap; it grows with the square of the heap's use. */
const COLLECTION_MS = 220

/** Fills the heap, with garbage collection pauses that grow as it fills. */
const startHeapFilling = (): NodeJS.Timeout => {
  const limitKib = readMemoryLimitKib()
  const heapKib = limitKib > 0 ? Math.min(limitKib, MAX_HEAP_KIB) : MAX_HEAP_KIB
  const stepKib = heapKib / (HEAP_FILL_SECONDS * LEAKS_PER_SECOND)
  let leakedKib = 0
  return setInterval(() => {
    if (leakedKib < heapKib && leakMemory(stepKib)) leakedKib += stepKib
    spin(COLLECTION_MS * (leakedKib / heapKib) ** 2)
  }, 1000 / LEAKS_PER_SECOND)
}

/** A leak without a declared rate fills the heap. */
const startLeak = ({
  kibPerRequest,
  kibPerSecond = 0,
}: Extract<Defect, { kind: 'leak' }>): NodeJS.Timeout => {
  if (kibPerRequest === undefined && kibPerSecond === 0) return startHeapFilling()
  return setInterval(() => leakMemory(kibPerSecond / LEAKS_PER_SECOND), 1000 / LEAKS_PER_SECOND)
}

const HOT_LOOP_DELAY_MS = 1000
const HOT_BUSY_MS = 120
const HOT_PAUSE_MS = 10

/** Uses most of a core; requests run in the pauses. */
const startHotLoop = (): (() => void) => {
  const loop = (): void => {
    spin(HOT_BUSY_MS)
    timer = setTimeout(loop, HOT_PAUSE_MS)
  }
  let timer = setTimeout(loop, HOT_LOOP_DELAY_MS)
  return () => clearTimeout(timer)
}

/** Starts the background defects of a bad release. */
export const startBackgroundDefects = (behaviour: Behaviour): { close(): void } => {
  const stopLoop = findDefect(behaviour, 'hot-loop') === undefined ? undefined : startHotLoop()
  const leak = findDefect(behaviour, 'leak')
  const leakTimer = leak === undefined ? undefined : startLeak(leak)
  return {
    close: () => {
      stopLoop?.()
      clearInterval(leakTimer)
    },
  }
}
