/** The process of a generator. It gets its orders over the channel of Node, and sends what it noted in batches. */
import { setPriority } from 'node:os'
import { createRealClock, preciseNow } from '../kit/index.ts'
import type { JourneyRecord, RequestRecord } from '../spec/index.ts'
import { toRemediumError } from '../spec/index.ts'
import { createGenerator, type Generator } from './create-generator.ts'
import type { GeneratorMessage, GeneratorOrder } from './generator-messages.ts'
import { createUserClient } from './user-client.ts'

const FLUSH_MS = 250
const HEALTH_MS = 1000
const LEAST_NICE = -20

const clock = createRealClock({ keepsAlive: true })

const tell = (message: GeneratorMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })

/** Walks must begin when they should, also where the system under load takes all cores. */
const comeFirst = async (): Promise<void> => {
  try {
    const { preferThisThread } = await import('../linux/index.ts')
    preferThisThread()
  } catch {
    try {
      setPriority(LEAST_NICE)
    } catch {
      // Not everybody may. Then it is late when the machine is busy, and its health tells.
    }
  }
}

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface Running {
  readonly generator: Generator
  /** Tells what was noted so far. */
  flush(): void
  /** Tells what is left to tell, and ends the process. */
  end(): Promise<void>
}

const run = async ({ options }: GeneratorOrder & { kind: 'start' }): Promise<Running> => {
  if (process.platform === 'linux') await comeFirst()
  const { load = options.workload.load } = options
  const client = createUserClient(clock, load.loop === 'open' ? load.connections : undefined)
  let requests: RequestRecord[] = []
  let journeys: JourneyRecord[] = []
  const flush = (): void => {
    const probes = generator.probes()
    if (requests.length + journeys.length + probes.pending.length === 0) return
    void tell({ kind: 'records', requests, journeys, probes })
    requests = []
    journeys = []
  }
  const generator = createGenerator({
    ...options,
    client,
    clock,
    now: preciseNow,
    cpuMs: ownCpuMs,
    onRequest: (record) => requests.push(record),
    onJourney: (record) => journeys.push(record),
  })
  const every = (ms: number, task: () => void): void => {
    const turn = (): void => {
      task()
      clock.after(ms, turn)
    }
    clock.after(ms, turn)
  }
  every(FLUSH_MS, flush)
  every(HEALTH_MS, () => void tell({ kind: 'health', health: generator.health() }))
  const end = async (): Promise<void> => {
    flush()
    await tell({ kind: 'ended', health: generator.health() })
    process.exit(0)
  }
  generator.ended.then(end, fail)
  return { generator, flush, end }
}

const fail = async (thrown: unknown): Promise<void> => {
  const { code, message, hint } = toRemediumError(thrown)
  await tell({ kind: 'failed', code, message, hint, stack: (thrown as Error).stack })
  process.exit(1)
}

const obey = (
  order: Exclude<GeneratorOrder, { kind: 'start' }>,
  { generator, flush, end }: Running,
): void => {
  if (order.kind === 'walk') void generator.walk(order.journey, order.times, order.atATime).then(flush)
  else if (order.kind === 'rate') generator.setRate(order.factor)
  else if (order.kind === 'renew') generator.renewUsers()
  else {
    generator.stop()
    clock.after(order.graceMs, end)
  }
}

// A terminal sends these to all that run on it; the process that started this one decides when it ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
let running: Promise<Running> | undefined
process.on('disconnect', () => process.exit(0))
process.on('message', (order: GeneratorOrder) => {
  if (order.kind === 'start') {
    running = run(order)
    running.catch(fail)
    return
  }
  void running?.then((it) => obey(order, it))
})
void tell({ kind: 'ready' })
