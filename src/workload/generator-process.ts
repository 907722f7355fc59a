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

const run = async (order: GeneratorOrder & { kind: 'start' }): Promise<Generator> => {
  if (process.platform === 'linux') await comeFirst()
  const client = createUserClient(clock)
  let requests: RequestRecord[] = []
  let journeys: JourneyRecord[] = []
  const flush = (): void => {
    if (requests.length + journeys.length === 0) return
    void tell({ kind: 'records', requests, journeys })
    requests = []
    journeys = []
  }
  const generator = createGenerator({
    ...order.options,
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
  generator.ended.then(
    async () => {
      flush()
      await tell({ kind: 'ended', health: generator.health() })
      process.exit(0)
    },
    (error) => fail(error),
  )
  return generator
}

const fail = async (thrown: unknown): Promise<void> => {
  const { code, message, hint } = toRemediumError(thrown)
  await tell({ kind: 'failed', code, message, hint, stack: (thrown as Error).stack })
  process.exit(1)
}

// A terminal sends these to all that run on it; the process that started this one decides when it ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
let running: Promise<Generator> | undefined
process.on('disconnect', () => process.exit(0))
process.on('message', (order: GeneratorOrder) => {
  if (order.kind === 'start') {
    running = run(order)
    running.catch(fail)
    return
  }
  void running?.then((generator) => generator.stop())
  clock.after(order.graceMs, () => {
    void running?.then(async (generator) => {
      await tell({ kind: 'ended', health: generator.health() })
      process.exit(0)
    })
  })
})
void tell({ kind: 'ready' })
