/** Greedy batch work that has reserved all that was left of the nodes, so that a pod that went finds no room. */

import {
  cpuLeftOnNodes,
  ignoreMissing,
  mainContainer,
  missedWorkloads,
  nodeOf,
  orElse,
  patchTarget,
  requestedCpu,
  restartTheTarget,
  toPlaybook,
  until,
  whileAway,
  workloadRef,
} from '../../fault-parts/index.ts'
import {
  defineFault,
  type FaultCase,
  type FaultContext,
  type Hack,
  type PodSpecView,
  type Scene,
} from '../../spec/index.ts'

const NAME = 'nightly-report'

interface Shard {
  readonly name: string
  readonly node: string
  /** Thousandths of a core. */
  readonly cpu: number
}

const shardsIn = (state: Readonly<Record<string, unknown>>): readonly Shard[] =>
  (state.shards ?? []) as readonly Shard[]

const HOSTNAME = 'kubernetes.io/hostname'

const deploymentsOf = ({ system }: Pick<FaultContext, 'system'>) => ({
  apiVersion: 'apps/v1',
  plural: 'deployments',
  namespace: system.namespace,
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
        nodeSelector: { [HOSTNAME]: node },
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
    await ignoreMissing(context.api.delete({ ...deploymentsOf(context), name }))
}

/** What workloads that were not there before the fault reserve of this node now, wherever they may go if they do not say. */
const newcomersOn = ({ now, baseline }: Scene, node: string): number =>
  now
    .list('Deployment')
    .filter(({ kind, metadata }) => baseline.get(kind, metadata.name) === undefined)
    .map(({ spec }) => spec as { replicas?: number; template: { spec: PodSpecView } })
    .filter(({ template }) => {
      const { [HOSTNAME]: only = node } = (template.spec.nodeSelector ?? {}) as Record<string, string>
      return only === node
    })
    .reduce((sum, { replicas = 1, template }) => sum + replicas * requestedCpu(template.spec), 0)

const wantedBy = ({ system, target }: FaultCase): number =>
  requestedCpu(system.workloadOf(target.service).podSpec)

const spareOf = (about: FaultCase): number => Math.floor((wantedBy(about) * Number(about.params.spare)) / 100)

/** How many pods of the service find room, each with what it asked for before the fault. */
const placesFor = (scene: Scene): number =>
  shardsIn(scene.state).reduce((sum, { node, cpu }) => {
    const left = cpu + spareOf(scene) - newcomersOn(scene, node)
    return sum + Math.max(0, Math.floor(left / wantedBy(scene)))
  }, 0)

/** Gives back as good as nothing, and asks for as little. */
const giveBackNothing: Hack = {
  name: 'give-back-next-to-nothing',
  about: 'Takes a thousandth of a core from the greedy work, and lets the service ask for that',
  async act(context) {
    const { api, system, target, state } = context
    for (const { name, cpu } of shardsIn(state)) {
      const resources = { requests: { cpu: `${cpu - 1}m` } }
      await api.patch({ ...deploymentsOf(context), name }, 'strategic', {
        spec: { template: { spec: { containers: [{ name: 'report', resources }] } } },
      })
    }
    const { containers } = system.workloadOf(target.service).podSpec
    const little = containers.map(({ name }) => ({ name, resources: { requests: { cpu: '1m' } } }))
    await patchTarget(context, { template: { spec: { containers: little } } })
  },
}

export const fault = defineFault({
  name: 'node-pressure',
  about: 'Batch work has reserved all that was left of the nodes, and a pod that went finds no room',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'capacity-shortage',
  otherLayers: ['hardware'],
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
    const { api, system, target } = context
    const spare = spareOf(context)
    let shards: readonly Shard[] = []
    await orElse(
      () =>
        whileAway(context, target.service, async () => {
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
        }),
      () => removeShards(context, { shards }),
      () => api.scale(workloadRef(system, target.service), system.workloadOf(target.service).replicas),
    )
    return { shards }
  },
  recover: removeShards,
  culprits: ({ target }) => [target.service, NAME, ...[0, 1, 2].map((shard) => `${NAME}-${shard}`)],
  isGone(scene) {
    const { replicas, service } = scene.system.workloadOf(scene.target.service)
    const places = placesFor(scene)
    return {
      holds: places >= replicas,
      evidence: `beside the batch work ${Math.min(places, replicas)} of ${replicas} pods of ${service} find the ${wantedBy(scene)}m that each asked for`,
    }
  },
  fix: ({ system, state }) =>
    toPlaybook('Give the nodes back to the services', [
      {
        name: 'Delete the batch work that reserves them',
        'kubernetes.core.k8s': {
          state: 'absent',
          definition: shardsIn(state).map(({ name }) => ({
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name, namespace: system.namespace },
          })),
        },
      },
    ]),
  hacks: [
    restartTheTarget,
    giveBackNothing,
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
