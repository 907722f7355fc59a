/** Plays a repair on a cluster with modelled pods, and judges the record; for tests. */
import { createChangeFilter, judgeRecord, WATCHED_KINDS } from '#exam/oracles'
import type { RightRepair } from '#exam/right-repairs'
import { createRandom, createVirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import {
  EPISODE_SCHEMA,
  type EpisodeEvent,
  type Fault,
  type FaultContext,
  type FaultTarget,
  isNotFound,
  JUDGING_RULES,
  type KubeApi,
  type PlannedFault,
  type Problem,
  type SystemView,
  type Verdict,
} from '#spec'

type NewEvent = EpisodeEvent extends infer T ? (T extends { at: number } ? Omit<T, 'at'> : never) : never

const LABORATORY = 'laboratory'

const startCluster = () => {
  const clock = createVirtualClock()
  const random = createRandom('right')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({
        clock,
        random,
        nodeIndex,
        images: () => ({ present: true, run: () => ({}) }),
      }),
  })
  return { clock, cluster, api: cluster.apiFor({ username: 'admin', groups: ['system:masters'] }) }
}

type World = ReturnType<typeof startCluster>

const PLURALS: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networkpolicies',
  Ingress: 'ingresses',
  Endpoints: 'endpoints',
}

/** Advances virtual time in steps, so that watches deliver their events in between. */
const advance = async ({ clock }: World, ms: number): Promise<void> => {
  for (let advancedMs = 0; advancedMs < ms; advancedMs += 250) {
    clock.advance(250)
    await new Promise(setImmediate)
  }
}

const deploy = async (world: World, { namespace, objects }: SystemView): Promise<void> => {
  for (const name of [namespace, LABORATORY])
    await world.api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name } })
  for (const object of objects) {
    if (object.kind === 'Namespace') continue
    const plural = PLURALS[object.kind] ?? `${object.kind.toLowerCase()}s`
    const isClusterWide = ['PersistentVolume', 'StorageClass', 'ClusterRole', 'ClusterRoleBinding'].includes(
      object.kind,
    )
    const ref = { apiVersion: object.apiVersion, plural, ...(isClusterWide ? {} : { namespace }) }
    await world.api.create(ref, structuredClone(object))
  }
  await advance(world, 30_000)
}

/** Records changes of objects from now on. */
const watch = async (api: KubeApi, namespace: string, add: (event: NewEvent) => void) => {
  const filter = createChangeFilter()
  const refs = [...WATCHED_KINDS.system.map((kind) => ({ ...kind, namespace })), ...WATCHED_KINDS.cluster]
  for (const ref of refs) {
    const listed = await api.list(ref).catch((error) => {
      // A cluster does not have to serve every kind.
      if (!isNotFound(error)) throw error
    })
    if (listed === undefined) continue
    const { items, resourceVersion } = listed
    for (const object of items) filter.pass({ type: 'ADDED', object })
    await api.watch(
      ref,
      { resourceVersion },
      (event) => {
        const change = filter.pass(event)
        if (change !== undefined) add({ type: 'object-changed', ...change })
      },
      () => {},
    )
  }
  return filter.list()
}

const JOURNEY = 'buy'

const toProblem = (system: SystemView, planned: PlannedFault): Problem => ({
  id: 'p',
  system: system.name,
  task: 'mitigation',
  faults: [planned],
  report: 'none',
  seed: 's',
  budget: { steps: 10, seconds: 60 },
})

export interface RepairCase {
  readonly fault: Fault
  readonly system: SystemView
  readonly target: FaultTarget
  /** How long users are observed after the repair. */
  readonly seconds?: number
}

/** Users are recorded as always served, so the verdict depends only on objects. */
export const playRepair = async (
  repair: Pick<RightRepair, 'act'>,
  { fault, system, target, seconds = 25 }: RepairCase,
): Promise<Verdict> => {
  const world = startCluster()
  const { api, clock } = world
  const events: EpisodeEvent[] = []
  const started = clock.now()
  const add = (event: NewEvent): void =>
    void events.push({ at: clock.now() - started, ...event } as EpisodeEvent)
  const params = Object.fromEntries(
    Object.entries(fault.parameters).map(([name, declaration]) => [name, declaration.default]),
  )
  const planned: PlannedFault = { fault: fault.name, target, params, shape: { kind: 'sudden' } }
  try {
    await deploy(world, system)
    const load = { loop: 'open', arrivals: { kind: 'constant', rate: 20 } } as const
    const problem = toProblem(system, planned)
    const solver = { solver: 'test', engine: 'none', rules: JUDGING_RULES }
    add({ type: 'episode-started', schema: EPISODE_SCHEMA, time: 0, ...solver, problem, load })
    const baseline = { journey: JOURNEY, p50: 20, p95: 26, runs: 40, failures: 0 }
    add({ type: 'baseline-taken', journeys: [baseline], alerts: [] })
    const objects = await watch(api, system.namespace, add)
    events.push({ at: clock.now() - started, type: 'objects-listed', objects })
    const context = {
      ...{ api, system, target, params, share: 1, laboratory: LABORATORY },
      users: { multiply: async () => {} },
      signal: new AbortController().signal,
      sleep: (ms: number) => advance(world, ms),
    } as unknown as FaultContext
    const state = await fault.inject(context)
    await advance(world, 5000)
    add({ type: 'fault-injected', index: 0, ...planned, state })
    add({ type: 'user-impact-observed', affected: true, journeys: [JOURNEY], evidence: '' })
    add({ type: 'solver-started' })
    await repair.act({ ...context, state })
    add({ type: 'solver-ended', outcome: 'submitted' })
    for (let second = 0; second < seconds; second += 1) {
      await advance(world, 1000)
      const at = clock.now() - started
      const runs = Array.from({ length: 10 }, (_, run) => [JOURNEY, at - run * 100, 20] as const)
      add({ type: 'journeys-run', runs })
    }
    return judgeRecord(events, system, new Map([[fault.name, fault]]))
  } finally {
    world.cluster.stop()
  }
}
