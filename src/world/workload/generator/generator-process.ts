/**
 * The process of a load generator: receives commands over Node's IPC channel, and sends records in
 * batches.
 */
import { setPriority } from 'node:os'
import { createRealClock, preciseNow } from '#kit'
import { toRemediumError } from '#spec'
import { createUserClient } from '../journeys/user-client.ts'
import type { GeneratorCommand, GeneratorMessage } from './generator-messages.ts'
import { type GeneratorRun, runGenerator } from './run-generator.ts'

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

interface Running extends Pick<GeneratorRun, 'generator' | 'flush'> {
  /** Sends the remaining records and the health, and exits. */
  end(): Promise<void>
}

const run = async ({ options }: GeneratorCommand & { kind: 'start' }): Promise<Running> => {
  if (process.platform === 'linux') await raisePriority()
  const { load = options.workload.load } = options
  const client = createUserClient(clock, load.loop === 'open' ? load.connections : undefined)
  const { generator, flush, end } = runGenerator(
    { ...options, client, clock, now: preciseNow, cpuMs: readCpuMs },
    {
      onRecords: (batch) => void send({ kind: 'records', ...batch }),
      onHealth: (health) => void send({ kind: 'health', health }),
    },
  )
  const endProcess = async (): Promise<void> => {
    end()
    await send({ kind: 'ended', health: generator.health() })
    process.exit(0)
  }
  generator.ended.then(endProcess, fail)
  return { generator, flush, end: endProcess }
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
