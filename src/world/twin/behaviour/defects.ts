/** The defects of bad releases, in requests and in the background. */
import type { Behaviour, Defect, ProgramResources, Protocol } from '#spec'
import { sleep } from '#world/twin/ports'
import { repeat } from './repeat.ts'
import { StepFailure } from './step-failure.ts'

type Kind = Defect['kind']

type Resources = Pick<ProgramResources, 'time' | 'cpu' | 'memory'>

const BYTES_PER_KIB = 1024

export const findDefect = <K extends Kind>(
  { defects }: Behaviour,
  kind: K,
): Extract<Defect, { kind: K }> | undefined =>
  defects?.find((defect): defect is Extract<Defect, { kind: K }> => defect.kind === kind)

const SLOW_MS = 700

/**
 * Whether the kubelet probes this endpoint, judged by its name. It also works in bad releases; otherwise they
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

/**
 * Returns a function to call before each request; it resolves to an error message if the request must fail.
 * Returns undefined if the release has no such defect.
 */
export const createRequestDefects = (
  behaviour: Behaviour,
  { time, memory }: Pick<Resources, 'time' | 'memory'>,
): ((endpoint: string) => Promise<string | undefined>) | undefined => {
  const slow = findDefect(behaviour, 'slow')
  const leak = findDefect(behaviour, 'leak')
  const failing = failingEndpoint(behaviour)
  if (slow === undefined && leak === undefined && failing === undefined) return undefined
  return async (endpoint) => {
    if (leak?.kibPerRequest !== undefined) memory.allocate(leak.kibPerRequest * BYTES_PER_KIB)
    if (slow !== undefined && !isHealthEndpoint(endpoint)) await sleep(time, slow.ms ?? SLOW_MS)
    return endpoint === failing ? FAILURE : undefined
  }
}

/** The CPU time between two looks at the clock. */
const SPIN_STEP_MS = 10
/** The remaining time that is not worth another step. */
const SPIN_ERROR_MS = 0.1

/** Keeps the thread busy for `ms` by the clock, however little CPU time it gets under a CPU limit. */
const spin = async (ms: number, { time, cpu }: Resources): Promise<void> => {
  const deadline = time.monotonic() + ms
  for (let left = ms; left > SPIN_ERROR_MS; left = deadline - time.monotonic())
    await cpu.use(Math.min(left, SPIN_STEP_MS))
}

/** The heap limit of a runtime, unless the memory limit of the container is smaller. */
const MAX_HEAP_BYTES = 256 * 1024 * 1024
/** The time until the heap is full, or the kernel has killed the process at its memory limit. */
const HEAP_FILL_SECONDS = 4
const LEAKS_PER_SECOND = 4
const LEAK_INTERVAL_MS = 1000 / LEAKS_PER_SECOND
/** The garbage collection pause with a full heap; it grows with the square of the heap's use. */
const COLLECTION_MS = 220

/** Fills the heap, with garbage collection pauses that grow as it fills. */
const createHeapFilling = (resources: Resources): (() => Promise<void>) => {
  const { memory } = resources
  const heapBytes = memory.limitBytes > 0 ? Math.min(memory.limitBytes, MAX_HEAP_BYTES) : MAX_HEAP_BYTES
  const stepBytes = heapBytes / (HEAP_FILL_SECONDS * LEAKS_PER_SECOND)
  let leakedBytes = 0
  return async () => {
    if (leakedBytes < heapBytes && memory.allocate(stepBytes) !== undefined) leakedBytes += stepBytes
    await spin(COLLECTION_MS * (leakedBytes / heapBytes) ** 2, resources)
  }
}

/** A leak without a declared rate fills the heap. */
const startLeak = (
  { kibPerRequest, kibPerSecond = 0 }: Extract<Defect, { kind: 'leak' }>,
  resources: Resources,
): (() => void) => {
  const { time, memory } = resources
  const stepBytes = (kibPerSecond * BYTES_PER_KIB) / LEAKS_PER_SECOND
  if (stepBytes > 0)
    return repeat(time, LEAK_INTERVAL_MS, LEAK_INTERVAL_MS, async () => void memory.allocate(stepBytes))
  if (kibPerRequest !== undefined) return () => {}
  return repeat(time, LEAK_INTERVAL_MS, LEAK_INTERVAL_MS, createHeapFilling(resources))
}

const HOT_LOOP_DELAY_MS = 1000
const HOT_BUSY_MS = 120
const HOT_PAUSE_MS = 10

/** Uses most of a core; requests run in the pauses. */
const startHotLoop = (resources: Resources): (() => void) => {
  const { time } = resources
  let isStopped = false
  const loop = async (): Promise<void> => {
    await spin(HOT_BUSY_MS, resources)
    if (!isStopped) cancel = time.after(HOT_PAUSE_MS, () => void loop())
  }
  let cancel = time.after(HOT_LOOP_DELAY_MS, () => void loop())
  return () => {
    isStopped = true
    cancel()
  }
}

/** Starts the background defects of a bad release. */
export const startBackgroundDefects = (behaviour: Behaviour, resources: Resources): { close(): void } => {
  const stopLoop = findDefect(behaviour, 'hot-loop') === undefined ? undefined : startHotLoop(resources)
  const leak = findDefect(behaviour, 'leak')
  const stopLeak = leak === undefined ? undefined : startLeak(leak, resources)
  return {
    close: () => {
      stopLoop?.()
      stopLeak?.()
    },
  }
}
