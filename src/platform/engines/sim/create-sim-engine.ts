/** The simulated engine: clusters whose programs, network and time are models in this process. */
import { createRandom, createVirtualClock } from '#kit'
import { type ProvisionOptions, RemediumError } from '#spec'
import type { SimEngine, SimEngineOptions } from './sim-cluster.ts'
import { startSimCluster } from './start-sim-cluster.ts'

const DEFAULT_SEED = 'remedium'

const checkOptions = ({ port, telemetryFile }: ProvisionOptions): void => {
  if (port !== undefined)
    throw new RemediumError('unsupported', 'The API of a simulated cluster has no port.', {
      hint: 'Use the engine local for clients that connect to the API.',
    })
  if (telemetryFile !== undefined)
    throw new RemediumError('unsupported', 'A simulated cluster keeps its telemetry in memory.', {
      hint: 'Leave out the telemetry file, or use the engine local.',
    })
}

/** The same system, options and calls make clusters whose objects, telemetry and times are the same. */
export const createSimEngine = ({ onError = () => {} }: SimEngineOptions = {}): SimEngine => ({
  async provision(system, settings = {}) {
    checkOptions(settings)
    await system?.loadSimulated?.()
    settings.signal?.throwIfAborted()
    const clock = createVirtualClock()
    const random = createRandom(settings.seed ?? DEFAULT_SEED)
    return clock.run(() => startSimCluster({ system, settings, clock, random, onError }))
  },
})
