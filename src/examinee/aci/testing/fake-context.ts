/** A solver context without a cluster. It has fake objects and signals, and collects what the solver records. */
import { preciseNow } from '#kit'
import type {
  Alert,
  ApiObject,
  Briefing,
  ClusterEvent,
  EdgeStatistics,
  KubeApi,
  LogLine,
  MetricSample,
  SolverContext,
  SolverEvent,
  Span,
  SqlAnswer,
  Task,
  TelemetryQuery,
} from '#spec'
import { RemediumError } from '#spec'

export interface FakeSignals {
  readonly alerts?: readonly Alert[]
  readonly logs?: readonly LogLine[]
  readonly spans?: readonly Span[]
  readonly events?: readonly ClusterEvent[]
  readonly samples?: readonly MetricSample[]
  /** Returns the edges of the baseline window if `isBaseline`, otherwise those of any other range. */
  graph?(isBaseline: boolean): readonly EdgeStatistics[]
  sql?(text: string, parameters?: Parameters<SolverContext['sql']>[1]): SqlAnswer
}

const NOW = 1_000_000
const BASELINE = { from: NOW - 60_000, to: NOW - 30_000 }

const toApiError = (code: number, message: string): Error => Object.assign(new Error(message), { code })

const fakeApi = (objects: readonly ApiObject[]): KubeApi => {
  const listObjects = (plural: string, namespace?: string): ApiObject[] => {
    if (namespace !== undefined && namespace !== 'shop')
      throw toApiError(403, `${plural} is forbidden: User "operator" cannot list resource "${plural}"`)
    return objects.filter(({ kind }) => `${kind.toLowerCase()}s` === plural)
  }
  const api: Partial<KubeApi> = {
    async list({ plural, namespace }) {
      return { items: listObjects(plural, namespace), resourceVersion: '1' }
    },
    async get({ plural, namespace, name }) {
      const object = listObjects(plural, namespace).find(({ metadata }) => metadata.name === name)
      if (object === undefined) throw toApiError(404, `${plural} "${name}" not found`)
      return object
    },
  }
  return api as KubeApi
}

const fakeTelemetry = (signals: FakeSignals): TelemetryQuery =>
  ({
    extent: async () => ({ from: NOW - 600_000, to: NOW }),
    services: async () => ['front'],
    alerts: async ({ active } = {}) =>
      (signals.alerts ?? []).filter(({ cleared }) => active !== true || cleared === undefined),
    logs: async ({ limit = 100, contains = '' } = {}) =>
      (signals.logs ?? []).filter(({ text }) => text.includes(contains)).slice(-limit),
    spans: async () => signals.spans ?? [],
    trace: async (id) => (signals.spans ?? []).filter(({ traceId }) => traceId === id),
    errorSamples: async () =>
      (signals.spans ?? [])
        .filter(({ status }) => status === 'error')
        .map((span) => ({ count: 3, last: span.start, span })),
    endpoints: async () => [],
    journeys: async () => [
      { journey: 'buy', count: 9, rate: 1.5, errors: 3, errorRate: 1 / 3, p50: 4, p95: 88 },
    ],
    graph: async (range) => signals.graph?.(range?.to === BASELINE.to) ?? [],
    metricNames: async () => [...new Set((signals.samples ?? []).map(({ name }) => name))],
    metric: async (name) => (signals.samples ?? []).filter((sample) => sample.name === name),
    events: async () => signals.events ?? [],
  }) as TelemetryQuery

export interface FakeContext {
  readonly context: SolverContext
  readonly steps: Parameters<SolverContext['note']>[0][]
  readonly events: SolverEvent[]
  readonly answers: unknown[]
  /** Work that must end before the solver does. */
  readonly pendingWork: Promise<unknown>[]
  readonly state: { hasGivenUp: boolean }
  abort(reason: string): void
}

export const toBriefing = (task: Task): Briefing => ({
  task,
  system: 'shop',
  namespace: 'shop',
  budget: { steps: 10, seconds: 10 },
  report: { kind: 'none', text: '' },
})

export const toObject = (kind: string, name: string, fields: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop', uid: `${kind}-${name}` },
  ...fields,
})

export const createFakeContext = ({
  task = 'mitigation',
  objects = [],
  signals = {},
}: {
  task?: Task
  objects?: readonly ApiObject[]
  signals?: FakeSignals
} = {}): FakeContext => {
  const controller = new AbortController()
  const steps: FakeContext['steps'] = []
  const events: SolverEvent[] = []
  const answers: unknown[] = []
  const pendingWork: Promise<unknown>[] = []
  const state = { hasGivenUp: false }
  const abort = (reason: string): void => controller.abort(new Error(reason))
  const workloads = ['cart', 'front'].map((name) =>
    toObject('Deployment', name, { spec: { template: { metadata: { labels: { app: name } } } } }),
  )
  const context: SolverContext = {
    episode: 'an-episode',
    briefing: toBriefing(task),
    api: fakeApi([...workloads, ...objects]),
    kubeconfig: 'a-kubeconfig',
    telemetry: fakeTelemetry(signals),
    baselineWindow: BASELINE,
    signal: controller.signal,
    spend: abort,
    async sql(text, parameters) {
      if (signals.sql !== undefined) return signals.sql(text, parameters)
      if (!text.includes('metrics')) throw new RemediumError('bad-argument', 'no such table: nothing.')
      return { columns: [], rows: [], truncated: false }
    },
    now: preciseNow,
    sleep: () => new Promise(() => {}),
    waitOutside: (work) => work,
    takeSnapshot: async () => ({ revert: async () => [], findHarm: async () => [], release() {} }),
    runPlaybook: async () => ({ ok: true, output: '' }),
    record: (event) => void events.push(event),
    note: (step) => void steps.push(step),
    answer: (newAnswers) => void answers.push(newAnswers),
    registerWork: (work) => void pendingWork.push(work),
    setExcuse() {},
    giveUp() {
      state.hasGivenUp = true
    },
  }
  return { context, steps, events, answers, pendingWork, state, abort }
}
