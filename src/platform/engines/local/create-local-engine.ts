/** The local engine: clusters of real processes on this machine. */
import { resolve } from 'node:path'
import { createRealClock } from '#kit'
import { stateFolder } from '#platform/engines/folders'
import {
  cgroupOf,
  checkMachine,
  claimLocalCluster,
  pruneClusters,
  removeCluster,
} from '#platform/engines/local/machine'
import type { LocalEngine, LocalEngineOptions } from './local-cluster.ts'
import { startCluster } from './start-cluster.ts'
import { checkTelemetryFile } from './system-telemetry.ts'
import { withLowPriority } from './with-low-priority.ts'

export const createLocalEngine = (options: LocalEngineOptions = {}): LocalEngine => {
  const { clock = createRealClock(), onAudit = () => {}, onError = () => {} } = options
  const waitingClock = createRealClock({ keepsAlive: true })
  return {
    async provision(system, settings = {}) {
      const { name, signal, onProgress = () => {}, onClaim = () => {} } = settings
      checkMachine()
      checkTelemetryFile(settings.telemetryFile)
      const state = options.state === undefined ? stateFolder() : resolve(options.state)
      const { removed } = await pruneClusters(state, waitingClock)
      if (removed.length > 0) onProgress(`removed the remains of ${removed.join(', ')}`)
      signal?.throwIfAborted()
      const claimed = claimLocalCluster(state, { name, system: system?.name, created: clock.now() })
      const { folder, record } = claimed
      const remove = (): Promise<void> => removeCluster(state, { folder, id: record.id, clock: waitingClock })
      try {
        onClaim(folder)
        const started = await withLowPriority(cgroupOf(record.id), () =>
          startCluster({ claimed, system, settings, clock, waitingClock, onAudit, onError }),
        )
        let closing: Promise<void> | undefined
        return {
          ...started,
          id: record.id,
          name: record.name,
          folder,
          close() {
            closing ??= started
              .close()
              .catch((error) => onError('end', error))
              .then(remove)
            return closing
          },
        }
      } catch (error) {
        await remove()
        throw error
      }
    },
  }
}
