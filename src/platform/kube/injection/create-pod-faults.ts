/** Combines all kinds of faults for the pods of one cluster. */
import type { Clock, Random } from '#kit'
import { createCgroups } from '#machine/linux'
import { createFaultRegister } from '#platform/kube/pod-faults'
import type { DnsFaults, PodFaults, PodProcesses } from '#platform/kube/ports'
import { createIoFaults } from './io/create-io-faults.ts'
import { createKillFaults } from './kill/create-kill-faults.ts'
import { createNetworkFaults } from './network/create-network-faults.ts'
import { createStressFaults } from './stress/create-stress-faults.ts'
import { createTimeFaults } from './time/create-time-faults.ts'

interface PodFaultsOptions {
  processes: PodProcesses
  dns: DnsFaults
  clock: Clock
  random: Random
  /** The folder of the cluster. */
  folder: string
  /** Environment variables of every started program, which identify leftover processes. */
  marker: Readonly<Record<string, string>>
  /** Called for errors in the background while a fault is active. */
  onError: (error: Error) => void
}

export interface ClosablePodFaults extends PodFaults {
  /** Recovers all faults and stops their programs. */
  close(): Promise<void>
}

export const createPodFaults = (options: PodFaultsOptions): ClosablePodFaults => {
  const { processes, dns, clock, random, folder, marker, onError } = options
  const cgroups = createCgroups()
  const network = createNetworkFaults({ random: random.fork('packets'), marker, onError })
  const register = createFaultRegister({
    pods: processes,
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
