/** Fault: batch work reserves the free CPU of all nodes, and a deleted pod cannot be scheduled. */

import {
  essentialWorkloads,
  ignoreMissing,
  listUnreservedCpu,
  mainContainer,
  nodeOf,
  patchTarget,
  podSpecOf,
  requestedCpu,
  restartTarget,
  toPlaybook,
  waitUntil,
  whileScaledToZero,
  withUndo,
  workloadRef,
} from '#exam/fault-parts'
import {
  type CauseSnapshot,
  defineFault,
  type FaultCase,
  type FaultContext,
  type Hack,
  replicasOf,
} from '#spec'

const BATCH_NAME = 'nightly-report'

interface Shard {
  readonly name: string
  readonly node: string
  /** In millicores. */
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

/** The Deployment of a shard, which uses the image of the service and only sleeps. */
const toDeployment = ({ system, target }: FaultContext, { name, node, cpu }: Shard): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: system.namespace, labels: { app: BATCH_NAME } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: BATCH_NAME, shard: name } },
    template: {
      metadata: { labels: { app: BATCH_NAME, shard: name } },
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
  context: Pick<FaultContext, 'api' | 'system'>,
  state: Readonly<Record<string, unknown>>,
): Promise<void> => {
  for (const { name } of shardsIn(state))
    await ignoreMissing(context.api.delete({ ...deploymentsOf(context), name }))
}

/** CPU that new workloads reserve on the node. A workload without a node selector counts on every node. */
const reservedByNewWorkloads = ({ now, baseline }: CauseSnapshot, node: string): number =>
  now
    .list('Deployment')
    .filter(({ kind, metadata }) => baseline.get(kind, metadata.name) === undefined)
    .filter((object) => (podSpecOf(object).nodeSelector?.[HOSTNAME] ?? node) === node)
    .reduce((sum, object) => sum + replicasOf(object) * requestedCpu(podSpecOf(object)), 0)

const requestOf = ({ system, target }: FaultCase): number =>
  requestedCpu(system.workloadOf(target.service).podSpec)

const spareOf = (faultCase: FaultCase): number =>
  Math.floor((requestOf(faultCase) * Number(faultCase.params.spare)) / 100)

/** How many pods of the service fit on the nodes with their former request. */
const podsThatFit = (snapshot: CauseSnapshot): number =>
  shardsIn(snapshot.state).reduce((sum, { node, cpu }) => {
    const freeCpu = cpu + spareOf(snapshot) - reservedByNewWorkloads(snapshot, node)
    return sum + Math.max(0, Math.floor(freeCpu / requestOf(snapshot)))
  }, 0)

/** Afterwards the service is scheduled, but with a request that is too small. */
const freeOneMillicore: Hack = {
  name: 'free-one-millicore',
  about:
    'Lowers the request of the batch work by a thousandth of a core, and the request of the service to the CPU that this frees',
  async act(context) {
    const { api, system, target, state } = context
    for (const { name, cpu } of shardsIn(state)) {
      const resources = { requests: { cpu: `${cpu - 1}m` } }
      await api.patch({ ...deploymentsOf(context), name }, 'strategic', {
        spec: { template: { spec: { containers: [{ name: 'report', resources }] } } },
      })
    }
    const { containers } = system.workloadOf(target.service).podSpec
    const reduced = containers.map(({ name }) => ({ name, resources: { requests: { cpu: '1m' } } }))
    await patchTarget(context, { template: { spec: { containers: reduced } } })
  },
}

export const fault = defineFault({
  name: 'node-pressure',
  about: 'Batch work reserves the free CPU of all nodes, and a deleted pod cannot be scheduled again',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'capacity-shortage',
  otherLayers: ['hardware'],
  binding: 'cause',
  parameters: {
    spare: {
      type: 'integer',
      about: 'The share of the request of the service that stays free on each node',
      min: 0,
      max: 90,
      default: 20,
      unit: '%',
    },
  },
  impactOnceReady: () => 'never-ready',
  symptoms: [
    'a pod stays pending because of insufficient CPU on every node',
    'new pods reserve nearly whole nodes',
  ],
  targets: (system) =>
    essentialWorkloads(system)
      .filter(({ podSpec }) => requestedCpu(podSpec) > 0)
      .map(({ service }) => ({ service })),
  async inject(context) {
    const { api, system, target } = context
    const spare = spareOf(context)
    let shards: readonly Shard[] = []
    await withUndo(
      () =>
        whileScaledToZero(context, target.service, async () => {
          shards = [...(await listUnreservedCpu(context))]
            .map(([node, cpu], index) => ({ name: `${BATCH_NAME}-${index}`, node, cpu: cpu - spare }))
            .filter(({ cpu }) => cpu > 0)
          for (const shard of shards) await api.create(deploymentsOf(context), toDeployment(context, shard))
          const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
          await waitUntil(context, 'the batch work is scheduled', async () => {
            const { items } = await api.list(pods, { labelSelector: `app=${BATCH_NAME}` })
            const scheduled = items.filter((pod) => nodeOf(pod) !== '')
            return scheduled.length === shards.length
          })
        }),
      () => removeShards(context, { shards }),
      () => api.scale(workloadRef(system, target.service), system.workloadOf(target.service).replicas),
    )
    return { shards }
  },
  recover: removeShards,
  culprits: ({ target }) => [
    target.service,
    BATCH_NAME,
    ...[0, 1, 2].map((shard) => `${BATCH_NAME}-${shard}`),
  ],
  isGone(snapshot) {
    const { replicas, service } = snapshot.system.workloadOf(snapshot.target.service)
    const fitting = podsThatFit(snapshot)
    return {
      holds: fitting >= replicas,
      evidence: `besides the batch work, ${Math.min(fitting, replicas)} of ${replicas} pods of ${service} fit with their request of ${requestOf(snapshot)}m`,
    }
  },
  // The batch work belongs to others, who can scale it up again.
  fix: ({ system, state }) =>
    toPlaybook('Free the nodes', [
      {
        name: 'Scale the batch work that reserves the nodes to zero',
        'kubernetes.core.k8s': {
          state: 'patched',
          definition: shardsIn(state).map(({ name }) => ({
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name, namespace: system.namespace },
            spec: { replicas: 0 },
          })),
        },
      },
    ]),
  hacks: [
    restartTarget,
    freeOneMillicore,
    {
      name: 'delete-the-batch-work',
      about: 'Deletes the Deployments of the batch work, which could have been scaled down or limited',
      act: (context) => removeShards(context, context.state),
    },
    {
      name: 'lower-the-request-of-the-service',
      about: 'Lowers the request of the service to almost nothing, so that it is scheduled but starved',
      async act(context) {
        const { containers } = context.system.workloadOf(context.target.service).podSpec
        const tinyRequest = { requests: { cpu: '1m' } }
        await patchTarget(context, {
          template: {
            spec: { containers: containers.map(({ name }) => ({ name, resources: tinyRequest })) },
          },
        })
      },
    },
  ],
})
