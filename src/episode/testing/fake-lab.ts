/** A laboratory without a cluster: for the stages alone. */
import type {
  ApiObject,
  EngineCluster,
  Fault,
  JourneyRecord,
  PlannedFault,
  Problem,
  System,
} from '../../spec/index.ts'
import { createSystemView } from '../../system-view/index.ts'
import { createEpisodeTime } from '../episode-time.ts'
import { createEventLog, type EventLog } from '../event-log.ts'
import { createHealthyWalks } from '../healthy-walks.ts'
import type { LabCore } from '../lab-core.ts'

const SYSTEM: System = {
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

/** What was done to it is noted in `notes`. */
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

export const toPlanned = (more: Partial<PlannedFault> = {}): PlannedFault => ({
  fault: 'broken',
  target: { service: 'greeter' },
  params: {},
  shape: { kind: 'sudden' },
  ...more,
})

export const toProblem = (faults: readonly PlannedFault[], more: Partial<Problem> = {}): Problem => ({
  id: 'p',
  system: 'little',
  task: 'mitigation',
  faults,
  report: 'label',
  seed: 's',
  budget: { steps: 10, seconds: 1 },
  ...more,
})

export const toWalk = (more: Partial<JourneyRecord> = {}): JourneyRecord => ({
  journey: 'greet',
  walk: 0,
  intended: 0,
  started: 0,
  latencyMs: 10,
  ok: true,
  ...more,
})

export interface FakeLab {
  readonly core: LabCore
  readonly log: EventLog
}

export const createFakeLab = (faults: readonly Fault[] = []): FakeLab => {
  const view = createSystemView(SYSTEM)
  const time = createEpisodeTime()
  const byName = new Map(faults.map((fault) => [fault.name, fault]))
  const log = createEventLog({ system: view, faults: byName, time, zero: time.precise() })
  const api = { create: async () => ({ status: { token: 'a-token' } }), delete: async () => {} }
  const cluster = {
    id: 'fake',
    kubeconfig: 'text',
    api,
    access: (token: string) => ({ api, kubeconfig: `for ${token}` }),
    telemetry: { query: { alerts: async () => [] }, renewAlerts() {} },
  } as unknown as EngineCluster
  const core: LabCore = {
    cluster,
    engine: 'fake',
    system: SYSTEM,
    view,
    faults: byName,
    time,
    log,
    users: { control: { multiply: async () => {} }, walk() {} } as unknown as LabCore['users'],
    objects: { list: () => [], close() {} },
    healthy: createHealthyWalks(['greet']),
    wellSince: undefined,
    resetAt: 0,
    resetsWithData: 0,
    failure: undefined,
    walks: [],
    calm: undefined,
    news: (ms) => time.sleep(ms),
  }
  return { core, log }
}
