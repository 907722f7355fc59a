/** Repairs that relax quotas, limits and reservations instead of deleting them. */
import { waitUntil, workloadRef } from '#exam/fault-parts'
import { type RepairContext, viewAs } from '#spec'
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

const raiseBothMaximums: RightRepair = {
  name: 'set-a-maximum-of-cpu-and-memory',
  about: 'Changes the LimitRange to a maximum of CPU and memory above the limits of all pods',
  faults: ['limit-range'],
  async act(context) {
    const { api, target, state } = context
    const limits = [{ type: 'Container', max: { cpu: '2', memory: '4Gi' } }]
    const ref = { ...collectionOf(context, 'limitranges'), name: String(state.name) }
    await api.patch(ref, 'merge', { spec: { limits } })
    await restartRollout(context, target.service)
  },
}

const replaceLimitRange: RightRepair = {
  name: 'replace-the-limit-range',
  about: 'Deletes the LimitRange and creates one with usual defaults and a sufficient maximum',
  faults: ['limit-range'],
  async act(context) {
    const { api, system, target, state } = context
    const ranges = collectionOf(context, 'limitranges')
    await api.delete({ ...ranges, name: String(state.name) })
    await api.create(ranges, {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'team-limits', namespace: system.namespace },
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '2', memory: '4Gi' },
            default: { cpu: '500m', memory: '512Mi' },
            defaultRequest: { cpu: '100m', memory: '128Mi' },
          },
        ],
      },
    })
    await restartRollout(context, target.service)
  },
}

interface Shard {
  readonly name: string
  /** In millicores. */
  readonly cpu: number
}

const shardsOf = ({ state }: RepairContext): readonly Shard[] => (state.shards ?? []) as readonly Shard[]

const shardRef = ({ system, target }: RepairContext, name: string) => ({
  ...workloadRef(system, target.service),
  plural: 'deployments',
  name,
})

const stopBatchWork: RightRepair = {
  name: 'scale-the-batch-work-to-zero',
  about: 'Scales the batch work that reserves the nodes to zero instead of deleting it',
  faults: ['node-pressure'],
  async act(context) {
    for (const { name } of shardsOf(context)) await context.api.scale(shardRef(context, name), 0)
  },
}

/** The node has no room for a rollout of the batch work, so that the old pod must end first. */
const limitBatchWork: RightRepair = {
  name: 'limit-the-batch-work',
  about: 'Halves the requests of the batch work, which is scaled to zero meanwhile',
  faults: ['node-pressure'],
  async act(context) {
    const { api } = context
    for (const { name, cpu } of shardsOf(context)) {
      const ref = shardRef(context, name)
      await api.scale(ref, 0)
      await waitUntil(context, `${name} has no pods`, async () => {
        const { status } = viewAs('Deployment', await api.get(ref))
        return (status?.replicas ?? 0) === 0
      })
      const resources = { requests: { cpu: `${Math.floor(cpu / 2)}m` } }
      const spec = { template: { spec: { containers: [{ name: 'report', resources }] } } }
      await api.patch(ref, 'strategic', { spec })
      await api.scale(ref, 1)
    }
  },
}

export const NAMESPACE_RULES: readonly RightRepair[] = [
  replaceQuota,
  raiseQuotaForRollout,
  raiseLimitRange,
  raiseBothMaximums,
  replaceLimitRange,
  stopBatchWork,
  limitBatchWork,
]
