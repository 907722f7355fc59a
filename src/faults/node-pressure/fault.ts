/** Greedy batch work that has reserved all that was left of the nodes, so that a pod that went finds no room. */

import {
  cpuLeftOnNodes,
  isMissing,
  mainContainer,
  missedWorkloads,
  nodeOf,
  patchTarget,
  requestedCpu,
  restartTheTarget,
  toPlaybook,
  until,
  whileAway,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultContext, type ObjectsView, type PodSpecView } from '../../spec/index.ts'

const NAME = 'nightly-report'

interface Shard {
  readonly name: string
  readonly node: string
  /** Thousandths of a core. */
  readonly cpu: number
}

const shardsIn = (state: Readonly<Record<string, unknown>>): readonly Shard[] =>
  (state.shards ?? []) as readonly Shard[]

const deploymentsOf = ({ system }: Pick<FaultContext, 'system'>) => ({
  ...{ apiVersion: 'apps/v1', plural: 'deployments', namespace: system.namespace },
})

/** It works on what is in the image of the service, as such reports do; here it waits for the night. */
const toDeployment = ({ system, target }: FaultContext, { name, node, cpu }: Shard): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: system.namespace, labels: { app: NAME } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: NAME, shard: name } },
    template: {
      metadata: { labels: { app: NAME, shard: name } },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node },
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'report',
            image: mainContainer(system, target.service).image,
            command: ['sleep', '86400'],
            resources: { requests: { cpu: `${cpu}m` } },
          },
        ],
      },
    },
  },
})

const removeShards = async (
  context: FaultContext,
  state: Readonly<Record<string, unknown>>,
): Promise<void> => {
  for (const { name } of shardsIn(state))
    await context.api.delete({ ...deploymentsOf(context), name }).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
}

/** What a shard reserves now. */
const reservedBy = (now: ObjectsView, name: string): number => {
  const found = now.get('Deployment', name)
  if (found === undefined) return 0
  const { replicas = 1, template } = found.spec as { replicas?: number; template: { spec: PodSpecView } }
  return replicas * requestedCpu(template.spec)
}

export const fault = defineFault({
  name: 'node-pressure',
  about: 'Batch work has reserved all that was left of the nodes, and a pod that went finds no room',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'capacity-shortage',
  binding: 'cause',
  parameters: {
    spare: {
      type: 'integer',
      about: 'How much of what the service asks for is left on each node',
      least: 0,
      most: 90,
      default: 20,
      unit: '%',
    },
  },
  symptoms: ['a pod stays pending for want of CPU on every node', 'newcomers reserve nearly whole nodes'],
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ podSpec }) => requestedCpu(podSpec) > 0)
      .map(({ service }) => ({ service })),
  async inject(context) {
    const { api, system, target, params } = context
    const wanted = requestedCpu(system.workloadOf(target.service).podSpec)
    const spare = Math.floor((wanted * Number(params.spare)) / 100)
    let shards: readonly Shard[] = []
    await whileAway(context, target.service, async () => {
      shards = [...(await cpuLeftOnNodes(context))]
        .map(([node, cpu], index) => ({ name: `${NAME}-${index}`, node, cpu: cpu - spare }))
        .filter(({ cpu }) => cpu > 0)
      for (const shard of shards) await api.create(deploymentsOf(context), toDeployment(context, shard))
      const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
      await until(context, 'the batch work has its places', async () => {
        const { items } = await api.list(pods, { labelSelector: `app=${NAME}` })
        const placed = items.filter((pod) => nodeOf(pod) !== '')
        return placed.length === shards.length
      })
    })
    return { shards }
  },
  recover: removeShards,
  culprits: ({ target }) => [target.service, NAME, ...[0, 1, 2].map((shard) => `${NAME}-${shard}`)],
  isGone({ now, state }) {
    const left = shardsIn(state).filter(({ name, cpu }) => reservedBy(now, name) >= cpu)
    return {
      holds: left.length === 0,
      evidence: `of ${shardsIn(state).length} greedy workloads ${left.length} reserve as much as before`,
    }
  },
  fix: ({ system, state }) =>
    toPlaybook('Give the nodes back to the services', [
      {
        name: 'Delete the batch work that reserves them',
        'kubernetes.core.k8s': {
          state: 'absent',
          definition: shardsIn(state).map(({ name }) => ({
            ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
            metadata: { name, namespace: system.namespace },
          })),
        },
      },
    ]),
  hacks: [
    restartTheTarget,
    {
      name: 'ask-for-nothing',
      about: 'Takes away what the service asks for, so that it fits anywhere and is starved there',
      async act(context) {
        const { containers } = context.system.workloadOf(context.target.service).podSpec
        const nothing = { requests: { cpu: '1m' } }
        await patchTarget(context, {
          template: { spec: { containers: containers.map(({ name }) => ({ name, resources: nothing })) } },
        })
      },
    },
  ],
})
