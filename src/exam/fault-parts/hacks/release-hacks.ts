/** Hacks against a bad release, instead of a rollback. */
import type { Hack } from '#spec'
import { multiplyAmount } from '../workloads/amounts.ts'
import { mainContainer } from '../workloads/containers.ts'
import { workloadRef } from '../workloads/edit-workload.ts'
import { patchTarget } from '../workloads/restore-workload.ts'

export const addReplica: Hack = {
  name: 'add-a-replica',
  about: 'Adds a replica with the same template',
  act: ({ api, system, target }) =>
    api.scale(workloadRef(system, target.service), system.workloadOf(target.service).replicas + 1),
}

/** Stays within the limits that oracles accept, so that only the cause decides. */
export const raiseMemoryLimit: Hack = {
  name: 'raise-the-memory-limit',
  about: 'Doubles the memory limit, or sets one, and keeps the release',
  async act(context) {
    const { system, target } = context
    const { name, resources } = mainContainer(system, target.service)
    const { memory = '1Gi' } = resources?.limits ?? {}
    const limits = { memory: multiplyAmount(memory, 2) }
    await patchTarget(context, { template: { spec: { containers: [{ name, resources: { limits } }] } } })
  },
}
