/** Plays a repair on a cluster with simulated pods, and judges the record; for tests. */
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

type TestCluster = ReturnType<typeof startCluster>

const PLURALS: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networkpolicies',
  Ingress: 'ingresses',
  Endpoints: 'endpoints',
}

/** Advances virtual time in steps, so that watches deliver their events in between. */
const advance = async ({ clock }: TestCluster, ms: number): Promise<void> => {
  for (let advancedMs = 0; advancedMs < ms; advancedMs += 250) {
    clock.advance(250)
    await new Promise(setImmediate)
  }
}

const deploy = async (testCluster: TestCluster, { namespace, objects }: SystemView): Promise<void> => {
  for (const name of [namespace, LABORATORY])
    await testCluster.api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name } })
  for (const object of objects) {
    if (object.kind === 'Namespace') continue
    const plural = PLURALS[object.kind] ?? `${object.kind.toLowerCase()}s`
    const isClusterWide = ['PersistentVolume', 'StorageClass', 'ClusterRole', 'ClusterRoleBinding'].includes(
      object.kind,
    )
    const ref = { apiVersion: object.apiVersion, plural, ...(isClusterWide ? {} : { namespace }) }
    await testCluster.api.create(ref, structuredClone(object))
  }
  await advance(testCluster, 30_000)
}

/** Records changes to objects from now on, and returns the objects that exist now. */
const recordChanges = async (api: KubeApi, namespace: string, record: (event: NewEvent) => void) => {
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
        if (change !== undefined) record({ type: 'object-changed', ...change })
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

/** Records users as always served, so the verdict depends only on objects. */
export const playRepair = async (
  repair: Pick<RightRepair, 'act'>,
  { fault, system, target, seconds = 25 }: RepairCase,
): Promise<Verdict> => {
  const testCluster = startCluster()
  const { api, clock } = testCluster
  const events: EpisodeEvent[] = []
  const startedAt = clock.now()
  const record = (event: NewEvent): void =>
    void events.push({ at: clock.now() - startedAt, ...event } as EpisodeEvent)
  const params = Object.fromEntries(
    Object.entries(fault.parameters).map(([name, declaration]) => [name, declaration.default]),
  )
  const planned: PlannedFault = { fault: fault.name, target, params, shape: { kind: 'sudden' } }
  try {
    await deploy(testCluster, system)
    const load = { loop: 'open', arrivals: { kind: 'constant', rate: 20 } } as const
    const problem = toProblem(system, planned)
    const setting = { solver: 'test', engine: 'none', rules: JUDGING_RULES }
    record({ type: 'episode-started', schema: EPISODE_SCHEMA, time: 0, ...setting, problem, load })
    const baseline = { journey: JOURNEY, p50: 20, p95: 26, runs: 40, failures: 0 }
    record({ type: 'baseline-taken', journeys: [baseline], alerts: [] })
    const objects = await recordChanges(api, system.namespace, record)
    events.push({ at: clock.now() - startedAt, type: 'objects-listed', objects })
    const context = {
      ...{ api, system, target, params, share: 1, laboratory: LABORATORY },
      users: { multiply: async () => {} },
      signal: new AbortController().signal,
      sleep: (ms: number) => advance(testCluster, ms),
    } as unknown as FaultContext
    const state = await fault.inject(context)
    await advance(testCluster, 5000)
    record({ type: 'fault-injected', index: 0, ...planned, state })
    record({ type: 'user-impact-observed', affected: true, journeys: [JOURNEY], evidence: '' })
    record({ type: 'solver-started' })
    await repair.act({ ...context, state, now: clock.now })
    record({ type: 'solver-ended', outcome: 'submitted' })
    for (let second = 0; second < seconds; second += 1) {
      await advance(testCluster, 1000)
      const at = clock.now() - startedAt
      const runs = Array.from({ length: 10 }, (_, run) => [JOURNEY, at - run * 100, 20] as const)
      record({ type: 'journeys-run', runs })
    }
    return judgeRecord(events, system, new Map([[fault.name, fault]]))
  } finally {
    testCluster.cluster.stop()
  }
}
