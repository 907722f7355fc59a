/**
 * The process of a load generator: receives commands over Node's IPC channel, and sends records in
 * batches.
 */
import { setPriority } from 'node:os'
import { createRealClock, preciseNow } from '#kit'
import type { JourneyRecord, RequestRecord } from '#spec'
import { toRemediumError } from '#spec'
import { createUserClient } from '../journeys/user-client.ts'
import { createGenerator, type Generator } from './create-generator.ts'
import type { GeneratorCommand, GeneratorMessage } from './generator-messages.ts'

const FLUSH_MS = 250
const HEALTH_MS = 1000
const MIN_NICE = -20

const clock = createRealClock({ keepsAlive: true })

const send = (message: GeneratorMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })

/** Raises the priority, because journeys must start on time even if the system under load uses all cores. */
const raisePriority = async (): Promise<void> => {
  try {
    const { raiseThreadPriority } = await import('#machine/linux')
    raiseThreadPriority()
  } catch {
    try {
      setPriority(MIN_NICE)
    } catch {
      // The user may lack the permission. The health then shows delays on a busy machine.
    }
  }
}

const readCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface Running {
  readonly generator: Generator
  /** Sends the records collected so far. */
  flush(): void
  /** Sends the remaining records and the health, and exits. */
  end(): Promise<void>
}

const run = async ({ options }: GeneratorCommand & { kind: 'start' }): Promise<Running> => {
  if (process.platform === 'linux') await raisePriority()
  const { load = options.workload.load } = options
  const client = createUserClient(clock, load.loop === 'open' ? load.connections : undefined)
  let requests: RequestRecord[] = []
  let journeys: JourneyRecord[] = []
  const flush = (): void => {
    const probes = generator.probes()
    if (requests.length + journeys.length + probes.pending.length === 0) return
    void send({ kind: 'records', requests, journeys, probes })
    requests = []
    journeys = []
  }
  const generator = createGenerator({
    ...options,
    client,
    clock,
    now: preciseNow,
    cpuMs: readCpuMs,
    onRequest: (record) => requests.push(record),
    onJourney: (record) => journeys.push(record),
  })
  const repeatEvery = (ms: number, task: () => void): void => {
    const tick = (): void => {
      task()
      clock.after(ms, tick)
    }
    clock.after(ms, tick)
  }
  repeatEvery(FLUSH_MS, flush)
  repeatEvery(HEALTH_MS, () => void send({ kind: 'health', health: generator.health() }))
  const end = async (): Promise<void> => {
    flush()
    await send({ kind: 'ended', health: generator.health() })
    process.exit(0)
  }
  generator.ended.then(end, fail)
  return { generator, flush, end }
}

const fail = async (thrown: unknown): Promise<void> => {
  const { code, message, hint } = toRemediumError(thrown)
  await send({ kind: 'failed', code, message, hint, stack: (thrown as Error).stack })
  process.exit(1)
}

const execute = (
  command: Exclude<GeneratorCommand, { kind: 'start' }>,
  { generator, flush, end }: Running,
): void => {
  if (command.kind === 'run-journey')
    void generator.runJourney(command.journey, command.times, command.maxActive).then(flush)
  else if (command.kind === 'rate') generator.setRate(command.factor)
  else if (command.kind === 'reset-users') generator.resetUsers()
  else {
    generator.stop()
    clock.after(command.graceMs, end)
  }
}

// A terminal sends these signals to its whole process group, but the parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
let running: Promise<Running> | undefined
process.on('disconnect', () => process.exit(0))
process.on('message', (command: GeneratorCommand) => {
  if (command.kind === 'start') {
    running = run(command)
    running.catch(fail)
    return
  }
  void running?.then((started) => execute(command, started))
})
void send({ kind: 'ready' })
