/** Repairs that relax quotas, limits and reservations instead of deleting them. */
import { workloadRef } from '#exam/fault-parts'
import type { RepairContext } from '#spec'
import type { RightRepair } from './right-repair.ts'
import { restartRollout } from './targets.ts'

const collectionOf = ({ system }: RepairContext, plural: string) => ({
  apiVersion: 'v1',
  plural,
  namespace: system.namespace,
})

const replaceQuota: RightRepair = {
  name: 'replace-the-quota',
  about: 'Deletes the quota and creates one that is high enough',
  faults: ['quota-exhausted'],
  async act(context) {
    const { api, system, target, state } = context
    const quotas = collectionOf(context, 'resourcequotas')
    await api.delete({ ...quotas, name: String(state.name) })
    await api.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'team-quota', namespace: system.namespace },
      spec: { hard: { pods: '500' } },
    })
    await restartRollout(context, target.service)
  },
}

const raiseQuotaForRollout: RightRepair = {
  name: 'raise-the-quota-for-one-rollout',
  about: 'Raises the quota to the number of pods, with room for the rollout of one workload',
  faults: ['quota-exhausted'],
  async act(context) {
    const { api, system, target, params, state } = context
    const { hard } = state.rule as { readonly hard: { readonly pods: string } }
    const surge = Math.max(...system.workloads.map(({ replicas }) => Math.ceil(replicas / 4)))
    const pods = String(Number(hard.pods) + Number(params.short) + surge)
    const ref = { ...collectionOf(context, 'resourcequotas'), name: String(state.name) }
    await api.patch(ref, 'merge', { spec: { hard: { pods } } })
    await restartRollout(context, target.service)
  },
}

const raiseLimitRange: RightRepair = {
  name: 'raise-the-limit-range',
  about: 'Raises the maximum of the LimitRange instead of deleting it',
  faults: ['limit-range'],
  async act(context) {
    const { api, target, state } = context
    const limits = [
      { type: 'Container', max: { cpu: '8' }, default: { cpu: '1' }, defaultRequest: { cpu: '10m' } },
    ]
    const ref = { ...collectionOf(context, 'limitranges'), name: String(state.name) }
    await api.patch(ref, 'merge', { metadata: { labels: { incident: 'INC-2041' } }, spec: { limits } })
    await restartRollout(context, target.service)
  },
}

const stopBatchWork: RightRepair = {
  name: 'scale-the-batch-work-to-zero',
  about: 'Scales the batch work that reserves the nodes to zero instead of deleting it',
  faults: ['node-pressure'],
  async act({ api, system, target, state }) {
    const ref = workloadRef(system, target.service)
    for (const { name } of (state.shards ?? []) as readonly { readonly name: string }[])
      await api.scale({ ...ref, plural: 'deployments', name }, 0)
  },
}

export const NAMESPACE_RULES: readonly RightRepair[] = [
  replaceQuota,
  raiseQuotaForRollout,
  raiseLimitRange,
  stopBatchWork,
]
