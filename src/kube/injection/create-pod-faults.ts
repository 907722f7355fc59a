/** All kinds of faults together, for the pods of one cluster on this machine. */
import type { Clock, Random } from '../../kit/index.ts'
import { createCgroups } from '../../linux/index.ts'
import type { DnsFaults, PodFaults, PodProcesses } from '../ports/index.ts'
import { createFaultRegister } from './fault-register.ts'
import { createIoFaults } from './io/io-faults.ts'
import { createKillFaults } from './kill/create-kill-faults.ts'
import { createNetworkFaults } from './network/create-network-faults.ts'
import { createStressFaults } from './stress/create-stress-faults.ts'
import { createTimeFaults } from './time/create-time-faults.ts'

interface PodFaultsOptions {
  processes: PodProcesses
  dns: DnsFaults
  clock: Clock
  random: Random
  /** Of the cluster: what is kept on disk lies below it. */
  folder: string
  /** Environment of every program that is started, by which others find it. */
  marker: Readonly<Record<string, string>>
  /** What goes wrong while a fault lasts, when nobody waits for an answer. */
  onError: (error: Error) => void
}

export interface ClosablePodFaults extends PodFaults {
  /** Recovers all faults and ends what was started for them. */
  close(): Promise<void>
}

export const createPodFaults = (options: PodFaultsOptions): ClosablePodFaults => {
  const { processes, dns, clock, random, folder, marker, onError } = options
  const cgroups = createCgroups()
  const network = createNetworkFaults({ random: random.fork('packets'), marker, onError })
  const register = createFaultRegister({
    processes,
    clock,
    forget: network.forget,
    kinds: {
      network: network.apply,
      stress: createStressFaults({ cgroups, marker, clock }),
      io: createIoFaults({ folder, marker, clock, random: random.fork('files'), onError }),
      time: createTimeFaults({ cgroups, clock, onError }),
      kill: createKillFaults(),
      dns: async ({ action, patterns }, { ip }) => {
        const stop = dns.interfere(ip, { action, patterns })
        return async () => stop()
      },
    },
  })
  return {
    apply: register.apply,
    async close() {
      try {
        await register.close()
      } finally {
        await network.close()
      }
    },
  }
}
