/** What people try against a bad release instead of going back. */
import type { Hack } from '../spec/index.ts'
import { multiplyAmount } from './amounts.ts'
import { mainContainer } from './containers.ts'
import { workloadRef } from './edit-workload.ts'
import { patchTarget } from './restore-workload.ts'

export const addReplica: Hack = {
  name: 'add-a-replica',
  about: 'Runs one more pod of the same template',
  act: ({ api, system, target }) =>
    api.scale(workloadRef(system, target.service), system.workloadOf(target.service).replicas + 1),
}

/** As much as the policy allows, so that it is the cause that tells. */
export const moreMemory: Hack = {
  name: 'raise-the-memory-limit',
  about: 'Doubles the limit of memory, or sets one, and leaves the release',
  async act(context) {
    const { system, target } = context
    const { name, resources } = mainContainer(system, target.service)
    const { memory = '1Gi' } = resources?.limits ?? {}
    const limits = { memory: multiplyAmount(memory, 2) }
    await patchTarget(context, { template: { spec: { containers: [{ name, resources: { limits } }] } } })
  },
}
