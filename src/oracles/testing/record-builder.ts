/** Records of episodes made by hand: a shop of three services, one of which is ill. */
import { createRandom } from '../../kit/index.ts'
import {
  type ApiObject,
  EPISODE_SCHEMA,
  type EpisodeEvent,
  type Fault,
  type PlannedFault,
  type Problem,
  type SystemView,
  type WalkNote,
  type WorkloadView,
} from '../../spec/index.ts'

export const NAMESPACE = 'shop'
export const LABORATORY = 'remedium-laboratory'
const SERVICES = ['cart', 'front', 'stock'] as const

type Fields = Readonly<Record<string, unknown>>
/** As `EpisodeEvent`, without its time. */
type Happening = EpisodeEvent extends infer T ? (T extends { at: number } ? Omit<T, 'at'> : never) : never

export const deployment = (name: string, change: Fields = {}, replicas = 1): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: NAMESPACE, uid: `deployment-${name}`, generation: 1 },
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

export const pod = (service: string, uid: string, name = `${service}-abc`): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: NAMESPACE,
    uid,
    labels: { app: service },
    ownerReferences: [{ kind: 'ReplicaSet', name: `${service}-rs`, controller: true }],
  },
  spec: { nodeName: service === 'front' ? 'node-2' : 'node-1' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
})

export const plain = (apiVersion: string, kind: string, name: string, content: Fields): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name, uid: `${kind}-${name}`, ...(kind === 'Node' ? {} : { namespace: NAMESPACE }) },
  ...content,
})

export const stress = plain('chaos-mesh.org/v1alpha1', 'StressChaos', 'cpu-stress-cart', {
  spec: { mode: 'one' },
})
export const inLaboratory = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: LABORATORY },
})

/** With fields of its spec changed. */
export const withSpec = (object: ApiObject, change: Fields): ApiObject => ({
  ...object,
  spec: { ...(object.spec as Fields), ...change },
})

/** Of the ConfigMap. */
export const FILE = JSON.stringify({ stock: 'stock:80', pool: 10 })

export const BASELINE: readonly ApiObject[] = [
  ...SERVICES.map((name) => deployment(name)),
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
  podSpec: (deployment(name).spec as { template: { spec: WorkloadView['podSpec'] } }).template.spec,
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

/** In the pod whose uid is remembered; gone with it. */
export const podFault = (change: Partial<Fault> = {}): Fault => ({
  name: 'sick-pod',
  about: 'One pod is ill',
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
    return { holds, evidence: `the pod ${state.uid} is ${holds ? 'gone' : 'there'}` }
  },
  fix: () => '',
  ...change,
})

export const SICK_POD: PlannedFault = {
  fault: 'sick-pod',
  target: { service: 'cart' },
  params: {},
  shape: { kind: 'sudden' },
}

export const problem = (change: Partial<Problem> = {}): Problem => ({
  id: 'p',
  system: 'shop',
  task: 'mitigation',
  faults: [SICK_POD],
  report: 'none',
  seed: 's',
  budget: { steps: 10, seconds: 60 },
  ...change,
})

export interface RecordBuilder {
  readonly events: readonly EpisodeEvent[]
  at(): number
  /** After so many milliseconds. */
  after(ms: number, ...happenings: readonly Happening[]): RecordBuilder
  change(object: ApiObject): RecordBuilder
  add(object: ApiObject): RecordBuilder
  remove(object: ApiObject): RecordBuilder
  /** Ten walks a second of each journey for so long, in batches as they come. */
  walks(ms: number, pace: { readonly slow?: number; readonly failing?: number }): RecordBuilder
  /** Of the cart: the old one goes, a new one comes, as they do within a second. */
  replacePod(service: string): RecordBuilder
}

const JOURNEYS = { buy: 20, look: 5 } as const
const BATCH_MS = 250
const EVERY_MS = 100

/** `slow` and `failing` concern the journey `buy`: a factor, and a share. */
export const startRecord = (seed = 'record'): RecordBuilder => {
  const random = createRandom(seed)
  const events: EpisodeEvent[] = []
  let at = 0
  const add = (happening: Happening): void => void events.push({ at, ...happening } as EpisodeEvent)
  const walk = (journey: keyof typeof JOURNEYS, ended: number, slow = 1, failing = 0): WalkNote => {
    const isBuy = journey === 'buy'
    const noise = 0.8 + 0.4 * random.next() + (random.next() < 0.03 ? 4 : 0)
    const latency = JOURNEYS[journey] * noise * (isBuy ? slow : 1)
    return isBuy && random.next() < failing ? [journey, ended, latency, 'pay'] : [journey, ended, latency]
  }
  const builder: RecordBuilder = {
    events,
    at: () => at,
    after(ms, ...happenings) {
      at += ms
      happenings.forEach(add)
      return builder
    },
    change: (object) => builder.after(1, { type: 'object-changed', change: 'modified', object }),
    add: (object) => builder.after(1, { type: 'object-changed', change: 'added', object }),
    remove: (object) => builder.after(1, { type: 'object-changed', change: 'deleted', object }),
    walks(ms, { slow, failing }) {
      for (const end = at + ms; at < end; ) {
        const walks: WalkNote[] = []
        for (let ended = at + EVERY_MS; ended <= at + BATCH_MS; ended += EVERY_MS)
          for (const journey of ['buy', 'look'] as const) walks.push(walk(journey, ended, slow, failing))
        builder.after(BATCH_MS, { type: 'walks', walks })
      }
      return builder
    },
    replacePod(service) {
      const old = pod(service, `${service}-1`)
      const status = { replicas: 1, readyReplicas: 0, updatedReplicas: 1, observedGeneration: 1 }
      return builder
        .change({ ...old, metadata: { ...old.metadata, deletionTimestamp: 'now' } })
        .change({ ...deployment(service), status })
        .add(pod(service, `${service}-2`, `${service}-def`))
        .remove(old)
        .after(300)
        .change(deployment(service))
    },
  }
  return builder
}

export interface PrepareOptions {
  readonly injected?: readonly ApiObject[]
  readonly seed?: string
  /** What the fault remembers besides. */
  readonly state?: Fields
}

/** Until the solver begins: healthy walks, the fault, users who feel it. */
export const prepareRecord = (
  about: Problem = problem(),
  { injected = [], seed = 'record', state = {} }: PrepareOptions = {},
): RecordBuilder => {
  const record = startRecord(seed)
  const baseline = { walks: 40, failures: 0 }
  const isFaulty = about.faults.length > 0
  const [load, solver] = [{ loop: 'open', arrivals: { kind: 'constant', rate: 20 } } as const, 'test']
  record.after(0, {
    type: 'episode-began',
    schema: EPISODE_SCHEMA,
    time: 0,
    problem: about,
    solver,
    engine: 'none',
    load,
  })
  record.after(1, {
    type: 'baseline-taken',
    journeys: Object.entries(JOURNEYS).map(([journey, p50]) => ({
      journey,
      p50,
      p95: p50 * 1.3,
      ...baseline,
    })),
    alerts: [],
  })
  record.after(1, { type: 'objects-listed', objects: [...BASELINE, inLaboratory(stress)] })
  for (const object of injected) record.change(object)
  about.faults.forEach((planned, index) => {
    record.after(1, {
      type: 'fault-injected',
      index,
      ...planned,
      state: { uid: 'cart-1', node: 'node-1', ...state },
    })
  })
  record.walks(2000, isFaulty ? { slow: 5 } : {})
  const journeys = isFaulty ? ['buy'] : []
  return record.after(
    1,
    { type: 'fault-shown', shown: isFaulty, journeys, evidence: '' },
    { type: 'solver-began' },
  )
}
