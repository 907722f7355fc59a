/** Equipment without a cluster, for tests of single stages. */
import type {
  ApiObject,
  Budget,
  EngineCluster,
  Fault,
  JourneyRecord,
  PlannedFault,
  Problem,
  System,
  Task,
} from '#spec'
import { createSystemView } from '#world/system-view'
import { createEpisodeTime } from '../laboratory/episode-time.ts'
import type { Equipment } from '../laboratory/equipment.ts'
import { createFailureLatch } from '../laboratory/failure-latch.ts'
import { createJourneyTracker } from '../laboratory/journey-tracker.ts'
import { createRecorder } from '../laboratory/recorder.ts'
import { createEventLog, type EventLog } from '../record/event-log.ts'
import { createInjection } from '../stages/injection.ts'

export const SYSTEM: System = {
  name: 'little',
  about: 'A system of one service.',
  namespace: 'little',
  images: [],
  entryPoints: [{ name: 'door', namespace: 'little', service: 'greeter', port: 80 }],
  manifests: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'greeter', namespace: 'little' },
      spec: {
        replicas: 1,
        template: {
          metadata: { labels: { app: 'greeter' } },
          spec: { containers: [{ name: 'greeter', image: 'greeter:1' }] },
        },
      },
    },
  ],
  workload: {
    journeys: [{ name: 'greet', weight: 1, steps: [{ name: 'hello', request: 'GET /' }] }],
    load: { loop: 'open', arrivals: { kind: 'poisson', rate: 1 } },
  },
}

/** Records each call in `notes`. */
export const fakeFault = (notes: string[], objects: () => readonly ApiObject[] = () => []): Fault => ({
  name: 'broken',
  about: 'It is broken',
  category: 'pod-fail',
  layer: 'application',
  binding: 'pod',
  type: 'code-defect',
  parameters: {},
  symptoms: [],
  hacks: [],
  targets: () => [{ service: 'greeter' }],
  async inject({ share }, before) {
    notes.push(`inject ${share}${before === undefined ? '' : ' again'}`)
    return { pod: 'greeter-1' }
  },
  async recover() {
    notes.push('recover')
  },
  isGone: () => ({ holds: objects().length > 0, evidence: '' }),
  fix: () => '',
})

export const toPlanned = (overrides: Partial<PlannedFault> = {}): PlannedFault => ({
  fault: 'broken',
  target: { service: 'greeter' },
  params: {},
  shape: { kind: 'sudden' },
  ...overrides,
})

export const toProblem = (faults: readonly PlannedFault[], overrides: Partial<Problem> = {}): Problem => ({
  id: 'p',
  system: 'little',
  task: 'mitigation',
  faults,
  report: 'label',
  seed: 's',
  budget: { steps: 10, seconds: 1 },
  ...overrides,
})

export const toJourneyRun = (overrides: Partial<JourneyRecord> = {}): JourneyRecord => ({
  journey: 'greet',
  run: 0,
  intended: 0,
  started: 0,
  latencyMs: 10,
  ok: true,
  ...overrides,
})

export interface FakeLab {
  readonly equipment: Equipment
  readonly log: EventLog
}

export const createFakeLab = (faults: readonly Fault[] = []): FakeLab => {
  const view = createSystemView(SYSTEM)
  const time = createEpisodeTime()
  const faultsByName = new Map(faults.map((fault) => [fault.name, fault]))
  const log = createEventLog({ system: view, faults: faultsByName, time, zero: time.precise() })
  const api = { create: async () => ({ status: { token: 'a-token' } }), delete: async () => {} }
  const cluster = {
    id: 'fake',
    kubeconfig: 'text',
    api,
    access: (token: string) => ({ api, kubeconfig: `for ${token}` }),
    telemetry: { query: { alerts: async () => [] }, renewAlerts() {} },
  } as unknown as EngineCluster
  const failure = createFailureLatch()
  const recorder = createRecorder(failure)
  recorder.start(log)
  const equipment: Equipment = {
    cluster,
    engine: 'fake',
    system: SYSTEM,
    view,
    faults: faultsByName,
    time,
    recorder,
    users: { control: { multiply: async () => {} }, runJourney() {} } as unknown as Equipment['users'],
    objects: { list: () => [], close() {} },
    journeys: createJourneyTracker(['greet']),
    failure,
    resets: { at: 0, reset: async () => {} },
    nextChange: (ms) => time.sleep(ms),
  }
  return { equipment, log }
}

/** The inputs of the stage `solve`, without equipment, record and solver. */
export const toSolveInputs = (equipment: Equipment, budget: Budget, task: Task = 'mitigation') => ({
  injection: createInjection(equipment),
  baseline: { from: 0, to: 1 },
  report: {
    task,
    system: 'little',
    namespace: 'little',
    budget,
    report: { kind: 'none' as const, text: '' },
  },
})
