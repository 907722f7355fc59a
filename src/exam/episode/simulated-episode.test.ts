/** Plays whole episodes on a simulated cluster under a virtual clock: users, access, playbooks and verdicts without sockets. */
import { expect, it, onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, sleep } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import {
  type ClusterTelemetry,
  type EngineCluster,
  type Fault,
  isReady,
  type KubeApi,
  type ProgramConnection,
  type RunEnginePlaybook,
  replicasOf,
  type Solver,
  type System,
} from '#spec'
import { openLaboratory } from './laboratory/open-laboratory.ts'
import { doNothing } from './solvers/do-nothing.ts'
import { referenceSolver } from './solvers/reference-solver.ts'
import { fakeFault, SYSTEM, toPlanned, toProblem } from './testing/fake-lab.ts'

const NAMESPACE = SYSTEM.namespace
const DEPLOYMENTS = { apiVersion: 'apps/v1', plural: 'deployments', namespace: NAMESPACE }
const GREETER = { ...DEPLOYMENTS, name: 'greeter' }
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }
const REFERENCE = 'scale greeter to 1'

const stopped: Fault = {
  ...fakeFault([]),
  name: 'stopped',
  binding: 'cause',
  async inject({ api }) {
    await api.scale(GREETER, 0)
    return {}
  },
  async recover({ api }) {
    await api.scale(GREETER, 1)
  },
  isGone: ({ now }) => ({ holds: replicasOf(now.get('Deployment', 'greeter')!) > 0, evidence: 'replicas' }),
  fix: () => REFERENCE,
}

/** Supports only one playbook. */
const runPlaybook: RunEnginePlaybook = async ({ text, api }) => {
  const report = { ok: true, output: 'done', tasks: [], milliseconds: 0 }
  if (text !== REFERENCE) return { ...report, ok: false, unsupported: 'this playbook' }
  await api.scale(GREETER, 1)
  return report
}

const telemetry = {
  query: { alerts: async () => [], graph: async () => [] },
  record() {},
  renewAlerts() {},
  flush: async () => {},
} as unknown as ClusterTelemetry

const CONNECTION: Omit<ProgramConnection, 'exchange'> = {
  address: '10.244.0.1',
  isClosed: false,
  onClose() {},
  close() {},
}

const toSystem = (): System => ({
  ...SYSTEM,
  manifests: SYSTEM.manifests.map((manifest) => ({
    ...manifest,
    spec: { ...(manifest as { spec: object }).spec, selector: { matchLabels: { app: 'greeter' } } },
  })),
})

const startCluster = () => {
  const clock = createVirtualClock()
  const random = createRandom('episode')
  const kube = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_, nodeIndex) =>
      createSimulatedRuntime({
        clock,
        random,
        nodeIndex,
        images: () => ({ present: true, run: () => ({}) }),
      }),
  })
  onTestFinished(() => kube.stop())
  return { clock, kube, api: kube.apiFor({ username: 'admin', groups: ['system:masters'] }) }
}

const isServing = async (api: KubeApi): Promise<boolean> => (await api.list(PODS)).items.some(isReady)

/** An engine's cluster without sockets and processes. Requests are answered after 5 ms, as long as a pod is ready. */
const provision = async (system: System) => {
  const { clock, kube, api } = startCluster()
  const waitUntilServing = async (): Promise<void> => {
    while (!(await isServing(api))) await sleep(clock, 100)
  }
  const rejected = async (): Promise<never> => {
    throw new Error('this cluster has no sockets')
  }
  const cluster: EngineCluster = {
    ...{ id: 'sim', name: 'sim', clock, api, kubeconfig: '', server: '', telemetry, runPlaybook },
    access: () => {
      throw new Error('this cluster has no tokens')
    },
    accessAs: kube.accessAs,
    connectSandbox: rejected,
    entryPoints: [{ name: 'door', url: 'http://door.sim' }],
    async connectUser() {
      await sleep(clock, 1)
      if (!(await isServing(api))) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
      const exchange: ProgramConnection['exchange'] = async () => {
        await sleep(clock, 5)
        return { content: { status: 200, headers: {}, body: 'hello' }, bytes: 5 }
      }
      return { ...CONNECTION, exchange }
    },
    async reset() {
      await api.scale(GREETER, 1)
      await waitUntilServing()
      return { deleted: [], recreated: [], updated: [], milliseconds: 0 }
    },
    async close() {},
  }
  await clock.run(async () => {
    await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: NAMESPACE } })
    await api.create(DEPLOYMENTS, structuredClone(system.manifests[0]!))
    await waitUntilServing()
  })
  return { clock, cluster }
}

const PROBLEM = toProblem([toPlanned({ fault: 'stopped' })], { budget: { steps: 10, seconds: 60 } })

const play = async (createSolver: (incident: Parameters<typeof referenceSolver>[0]) => Solver) => {
  const system = toSystem()
  const { clock, cluster } = await provision(system)
  const faults = new Map([[stopped.name, stopped]])
  const lab = await openLaboratory({ cluster, system, faults, seed: 's', engine: 'sim' })
  const incident = await lab.prepare(PROBLEM, { secret: 'x' })
  const outcome = await incident.attempt(createSolver(incident))
  await incident.restore()
  await lab.close()
  return { ...outcome, clock }
}

const agentThat = (solve: Solver['solve']): Solver => ({ name: 'agent', solve })

it('resolves a problem with the reference playbook, and records the same events for the same seed', async () => {
  const { verdict, events, clock } = await play(referenceSolver)
  expect(verdict).toMatchObject({ outcome: 'resolved' })
  expect(events[0]).toMatchObject({ type: 'episode-started', engine: 'sim' })
  expect(clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThan(4000)
  const again = await play(referenceSolver)
  expect(JSON.stringify(again.events)).toBe(JSON.stringify(events))
})

it('judges an agent that works with the rights of its account, and one that does nothing', async () => {
  const repaired = await play(() => agentThat(async ({ api }) => api.scale(GREETER, 1)))
  expect(repaired.verdict).toMatchObject({ outcome: 'resolved' })
  expect(repaired.events).toContainEqual(
    expect.objectContaining({ type: 'write-audited', object: 'deployments/greeter/scale', code: 200 }),
  )
  expect((await play(() => doNothing)).verdict).toMatchObject({ outcome: 'unresolved', blame: 'agent' })
})

it('spends the time of an agent by the clock of the cluster', async () => {
  const { events } = await play(() => agentThat(async ({ sleep: pause }) => pause(3_600_000)))
  const started = events.find(({ type }) => type === 'solver-started')!
  const ended = events.find((event) => event.type === 'solver-ended')!
  expect(ended).toMatchObject({ outcome: 'budget-spent' })
  expect(ended.at - started.at).toBeCloseTo(60_000, -1)
})

it('waits for the real work of an agent, and spends the time that the agent reports', async () => {
  const { events } = await play(() =>
    agentThat(async ({ waitOutside, api }) => {
      const thinking = new Promise<number>((resolve) => setTimeout(() => resolve(20_000), 30))
      await waitOutside(thinking, (milliseconds) => milliseconds)
      await api.scale(GREETER, 1)
      await waitOutside(Promise.resolve(60_000), (milliseconds) => milliseconds)
    }),
  )
  const started = events.find(({ type }) => type === 'solver-started')!
  const written = events.find((event) => event.type === 'write-audited' && event.object.endsWith('/scale'))!
  expect(written.at - started.at).toBeCloseTo(20_000, -2)
  expect(events.find((event) => event.type === 'solver-ended')).toMatchObject({ outcome: 'budget-spent' })
})

it('gives no verdict on a solver whose playbook the engine does not support', async () => {
  const { verdict } = await play(() => ({
    ...agentThat(async ({ runPlaybook: runText, api }) => {
      await runText('install packages').catch(() => {})
      await api.scale(GREETER, 1)
    }),
    isTrusted: true,
  }))
  expect(verdict).toMatchObject({ outcome: 'void', code: 'unsupported', judgements: [] })
})
