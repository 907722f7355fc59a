/** The simulated engine: clusters whose programs, network and time are models in this process. */
import { createRandom, createRealClock, createVirtualClock, sleep, type VirtualClock } from '#kit'
import { type ProvisionOptions, RemediumError } from '#spec'
import type { SimEngine, SimEngineOptions } from './sim-cluster.ts'
import { startSimCluster } from './start-sim-cluster.ts'

const DEFAULT_SEED = 'remedium'
/** The initial age of a cluster for outside clients: longer than any system takes to become ready. */
const AGE_MS = 300_000

/** Advances the clock to `now` at once. */
const catchUp = async (clock: VirtualClock, now: number): Promise<void> => {
  if (now > clock.now()) await clock.run(() => sleep(clock, now - clock.now()))
}

const checkOptions = ({ port, telemetryFile }: ProvisionOptions, servesClients: boolean): void => {
  if (port !== undefined && !servesClients)
    throw new RemediumError('unsupported', 'The API of a simulated cluster has no port.', {
      hint: 'Use the engine local for clients that connect to the API.',
    })
  if (telemetryFile !== undefined)
    throw new RemediumError('unsupported', 'A simulated cluster keeps its telemetry in memory.', {
      hint: 'Leave out the telemetry file, or use the engine local.',
    })
}

/** The same system, options and calls make clusters whose objects, telemetry and times are the same. */
export const createSimEngine = ({
  onError = () => {},
  onAudit = () => {},
  servesClients = false,
}: SimEngineOptions = {}): SimEngine => ({
  async provision(system, settings = {}) {
    checkOptions(settings, servesClients)
    await system?.loadSimulated?.()
    settings.signal?.throwIfAborted()
    const realClock = createRealClock()
    const clock = servesClients ? createVirtualClock(realClock.now() - AGE_MS) : createVirtualClock()
    const random = createRandom(settings.seed ?? DEFAULT_SEED)
    const options = { system, settings, clock, random, hasSockets: servesClients, onAudit, onError }
    const cluster = await clock.run(() => startSimCluster(options))
    if (servesClients) await catchUp(clock, realClock.now())
    return cluster
  },
})
