/** Builds records of episodes for tests: a shop of three services, one with a faulty pod. */

import { programsOf } from '#exam/effects'
import { createRandom } from '#kit'
import {
  type ApiObject,
  EPISODE_SCHEMA,
  type EpisodeEvent,
  type Fault,
  type JourneyRunNote,
  JUDGING_RULES,
  type PlannedFault,
  type Problem,
  podTemplateOf,
  type SystemView,
  type WorkloadView,
} from '#spec'

export const NAMESPACE = 'shop'
export const LABORATORY = 'remedium-laboratory'
const SERVICES = ['cart', 'front', 'stock'] as const

type Fields = Readonly<Record<string, unknown>>
/** An `EpisodeEvent` without its time. */
type NewEvent = EpisodeEvent extends infer T ? (T extends { at: number } ? Omit<T, 'at'> : never) : never

export const deployment = (name: string, change: Fields = {}, replicas = 1): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: NAMESPACE, uid: `Deployment-${name}`, generation: 1 },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, annotations: { 'prometheus.io/scrape': 'true' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: `shop/${name}:1.4`,
            resources: { limits: { cpu: '200m', memory: '64Mi' }, requests: { cpu: '100m' } },
            readinessProbe: { httpGet: { path: '/ready', port: 80 } },
            ...change,
          },
        ],
      },
    },
  },
  status: { replicas, readyReplicas: replicas, updatedReplicas: replicas, observedGeneration: 1 },
})

/** An owner reference to an object of `plain` or `deployment`, which is the controller. */
export const owner = (apiVersion: string, kind: string, name: string): Fields => ({
  apiVersion,
  kind,
  name,
  uid: `${kind}-${name}`,
  controller: true,
})

export const pod = (service: string, uid: string, name = `${service}-abc`): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: NAMESPACE,
    uid,
    labels: { app: service },
    ownerReferences: [owner('apps/v1', 'ReplicaSet', `${service}-rs`)],
  },
  spec: { nodeName: service === 'front' ? 'node-2' : 'node-1' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
})

/** An object of any kind with this content. */
export const plain = (apiVersion: string, kind: string, name: string, content: Fields): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name, uid: `${kind}-${name}`, ...(kind === 'Node' ? {} : { namespace: NAMESPACE }) },
  ...content,
})

/** The ReplicaSet of a service's Deployment, as a record holds it. */
export const replicaSet = (service: string, change: Fields = {}): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: `${service}-rs`,
    namespace: NAMESPACE,
    uid: `ReplicaSet-${service}-rs`,
    labels: { app: service },
    annotations: { 'deployment.kubernetes.io/revision': '1' },
    ownerReferences: [owner('apps/v1', 'Deployment', service)],
    ...change,
  },
  programs: programsOf(pod(service, `${service}-1`)),
})

export const stress = plain('chaos-mesh.org/v1alpha1', 'StressChaos', 'cpu-stress-cart', {
  spec: { mode: 'one' },
})
export const inLaboratory = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: LABORATORY },
})

/** The object with changed fields of its spec. */
export const withSpec = (object: ApiObject, change: Fields): ApiObject => ({
  ...object,
  spec: { ...(object.spec as Fields), ...change },
})

/** The file in the ConfigMap. */
export const FILE = JSON.stringify({ stock: 'stock:80', pool: 10 })

export const BASELINE: readonly ApiObject[] = [
  ...SERVICES.map((name) => deployment(name)),
  ...SERVICES.map((name) => replicaSet(name)),
  ...SERVICES.map((name) => pod(name, `${name}-1`)),
  ...SERVICES.map((name) =>
    plain('v1', 'Service', name, {
      spec: { selector: { app: name }, clusterIP: '10.0.0.1', ports: [{ port: 80 }] },
    }),
  ),
  plain('v1', 'ConfigMap', 'settings', { data: { pool: '10', file: FILE } }),
  plain('v1', 'PersistentVolumeClaim', 'stock-data', {
    spec: { resources: { requests: { storage: '1Gi' } } },
  }),
  plain('v1', 'Node', 'node-1', { spec: {} }),
]

const workload = (name: string): WorkloadView => ({
  kind: 'Deployment',
  name,
  service: name,
  replicas: 1,
  manifest: deployment(name),
  podSpec: podTemplateOf(deployment(name))!.spec!,
})

export const SHOP: SystemView = {
  name: 'shop',
  namespace: NAMESPACE,
  workloads: SERVICES.map(workload),
  objects: BASELINE,
  edges: [
    { from: 'front', to: 'cart' },
    { from: 'cart', to: 'stock' },
  ],
  journeys: [],
  releasesOf: () => ({ good: ['1.4', '1.3'], bad: new Map() }),
  impactOf: () => ({ down: ['buy'], slow: ['buy'], starved: ['buy'], lossy: ['buy'] }),
  workloadOf: workload,
  callersOf: () => [],
}

/** A fault in one pod, whose uid is in the state of the fault. It is gone when the pod is. */
export const podFault = (change: Partial<Fault> = {}): Fault => ({
  name: 'sick-pod',
  about: 'One pod is degraded',
  category: 'cpu-stress',
  layer: 'operating-system',
  type: 'capacity-shortage',
  binding: 'pod',
  parameters: {},
  symptoms: [],
  hacks: [],
  targets: () => [{ service: 'cart' }],
  inject: async () => ({ uid: 'cart-1' }),
  recover: async () => {},
  isGone({ now, state }) {
    const holds = !now.list('Pod').some(({ metadata }) => metadata.uid === state.uid)
    return { holds, evidence: `the pod ${state.uid} ${holds ? 'is gone' : 'exists'}` }
  },
  fix: () => '',
  ...change,
})

export const POD_FAULT: PlannedFault = {
  fault: 'sick-pod',
  target: { service: 'cart' },
  params: {},
  shape: { kind: 'sudden' },
}

export const problem = (change: Partial<Problem> = {}): Problem => ({
  id: 'p',
  system: 'shop',
  task: 'mitigation',
  faults: [POD_FAULT],
  report: 'none',
  seed: 's',
  budget: { steps: 10, seconds: 60 },
  ...change,
})

export interface RecordBuilder {
  readonly events: readonly EpisodeEvent[]
  at(): number
  /** Adds events after this many milliseconds. */
  after(ms: number, ...newEvents: readonly NewEvent[]): RecordBuilder
  change(object: ApiObject): RecordBuilder
  add(object: ApiObject): RecordBuilder
  remove(object: ApiObject): RecordBuilder
  /**
   * Adds ten runs per second of each journey, in batches. For `buy`, `slow` multiplies the latency, and `failing` is
   * the share of failed runs.
   */
  runJourneys(ms: number, pace: { readonly slow?: number; readonly failing?: number }): RecordBuilder
  /** Replaces the pod of a service, which takes less than a second. */
  replacePod(service: string): RecordBuilder
}

const JOURNEY_LATENCIES_MS = { buy: 20, look: 5 } as const
const BATCH_MS = 250
const RUN_INTERVAL_MS = 100

export const startRecord = (seed = 'record'): RecordBuilder => {
  const random = createRandom(seed)
  const events: EpisodeEvent[] = []
  let at = 0
  const add = (event: NewEvent): void => void events.push({ at, ...event } as EpisodeEvent)
  const createRun = (
    journey: keyof typeof JOURNEY_LATENCIES_MS,
    ended: number,
    slow = 1,
    failing = 0,
  ): JourneyRunNote => {
    const isBuy = journey === 'buy'
    const noise = 0.8 + 0.4 * random.next() + (random.next() < 0.03 ? 4 : 0)
    const latency = JOURNEY_LATENCIES_MS[journey] * noise * (isBuy ? slow : 1)
    return isBuy && random.next() < failing ? [journey, ended, latency, 'pay'] : [journey, ended, latency]
  }
  const builder: RecordBuilder = {
    events,
    at: () => at,
    after(ms, ...newEvents) {
      at += ms
      newEvents.forEach(add)
      return builder
    },
    change: (object) => builder.after(1, { type: 'object-changed', change: 'modified', object }),
    add: (object) => builder.after(1, { type: 'object-changed', change: 'added', object }),
    remove: (object) => builder.after(1, { type: 'object-changed', change: 'deleted', object }),
    runJourneys(ms, { slow, failing }) {
      for (const end = at + ms; at < end; ) {
        const runs: JourneyRunNote[] = []
        for (let ended = at + RUN_INTERVAL_MS; ended <= at + BATCH_MS; ended += RUN_INTERVAL_MS)
          for (const journey of ['buy', 'look'] as const) runs.push(createRun(journey, ended, slow, failing))
        builder.after(BATCH_MS, { type: 'journeys-run', runs })
      }
      return builder
    },
    replacePod(service) {
      const formerPod = pod(service, `${service}-1`)
      const status = { replicas: 1, readyReplicas: 0, updatedReplicas: 1, observedGeneration: 1 }
      return builder
        .change({ ...formerPod, metadata: { ...formerPod.metadata, deletionTimestamp: 'now' } })
        .change({ ...deployment(service), status })
        .add(pod(service, `${service}-2`, `${service}-def`))
        .remove(formerPod)
        .after(300)
        .change(deployment(service))
    },
  }
  return builder
}

export interface PrepareOptions {
  /** Objects that replace or extend those of the baseline. */
  readonly baseline?: readonly ApiObject[]
  readonly injected?: readonly ApiObject[]
  readonly seed?: string
  /** The version of the rules; the current one by default. */
  readonly rules?: number
  /** Additional state of the fault. */
  readonly state?: Fields
}

/** Builds the events until the solver starts: the baseline, the fault, and its user impact. */
export const prepareRecord = (
  givenProblem: Problem = problem(),
  {
    baseline: changedObjects = [],
    injected = [],
    seed = 'record',
    rules = JUDGING_RULES,
    state = {},
  }: PrepareOptions = {},
): RecordBuilder => {
  const record = startRecord(seed)
  const baseline = { runs: 40, failures: 0 }
  const isFaulty = givenProblem.faults.length > 0
  const [load, solver] = [{ loop: 'open', arrivals: { kind: 'constant', rate: 20 } } as const, 'test']
  record.after(0, {
    type: 'episode-started',
    schema: EPISODE_SCHEMA,
    rules,
    time: 0,
    problem: givenProblem,
    solver,
    engine: 'none',
    load,
  })
  record.after(1, {
    type: 'baseline-taken',
    journeys: Object.entries(JOURNEY_LATENCIES_MS).map(([journey, p50]) => ({
      journey,
      p50,
      p95: p50 * 1.3,
      ...baseline,
    })),
    alerts: [],
  })
  const isChanged = ({ kind, metadata }: ApiObject): boolean =>
    changedObjects.some((object) => object.kind === kind && object.metadata.name === metadata.name)
  // Fingerprints of programs depend on the version of the rules.
  const withFingerprints = (object: ApiObject): ApiObject =>
    object.programs === undefined ? object : { ...object, programs: programsOf(pod('', ''), rules) }
  const objects = [
    ...BASELINE.filter((object) => !isChanged(object)),
    ...changedObjects,
    inLaboratory(stress),
  ].map(withFingerprints)
  record.after(1, { type: 'objects-listed', objects })
  for (const object of injected) record.change(object)
  givenProblem.faults.forEach((planned, index) => {
    record.after(1, {
      type: 'fault-injected',
      index,
      ...planned,
      state: { uid: 'cart-1', node: 'node-1', ...state },
    })
  })
  record.runJourneys(2000, isFaulty ? { slow: 5 } : {})
  const journeys = isFaulty ? ['buy'] : []
  return record.after(
    1,
    { type: 'user-impact-observed', affected: isFaulty, journeys, evidence: '' },
    { type: 'solver-started' },
  )
}
