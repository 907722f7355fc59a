/** Tests on a simulated cluster that the maximum limits the autoscaler, and that raising it is enough. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRandom, createVirtualClock, type VirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import { type FaultContext, type KubeApi, replicasOf, viewAs } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { fault } from './fault.ts'

const system = createSystemView(await loadSystem('simple-micro'))
const { namespace } = system
const SERVICE = 'hello-service'
const deployments = { apiVersion: 'apps/v1', plural: 'deployments', namespace }
const workload = { ...deployments, name: SERVICE }
const autoscaler = {
  apiVersion: 'autoscaling/v2',
  plural: 'horizontalpodautoscalers',
  namespace,
  name: SERVICE,
}
/** The CPU that all users need, in cores: more than one small pod has. */
const NEEDED_CORES = 0.1
/** The interval between evaluations of an autoscaler. */
const EVALUATION_MS = 5_000

let clock: VirtualClock
let api: KubeApi
let stop: () => void
let context: FaultContext

const readReplicas = async (): Promise<number> => replicasOf(await api.get(workload))

beforeEach(async () => {
  clock = createVirtualClock()
  const random = createRandom('ceiling')
  let running = 1
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({
        clock,
        random,
        nodeIndex,
        images: () => ({
          run({ container }) {
            const limit = Number.parseInt(String(container.resources?.limits?.cpu), 10) / 1000
            const cpu = (): number =>
              container.name === SERVICE ? Math.min(limit, NEEDED_CORES / running) : 0
            return { usage: () => ({ cpu: cpu(), memory: 2 ** 20 }) }
          },
        }),
      }),
  })
  stop = () => cluster.stop()
  api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: namespace } })
  await api.create(deployments, structuredClone(system.workloadOf(SERVICE).manifest))
  const advance = async (ms: number): Promise<void> => {
    clock.advance(ms)
    running = await readReplicas()
  }
  context = {
    api,
    system,
    target: { service: SERVICE },
    params: { factor: 3, podCpu: 50 },
    share: 1,
    laboratory: 'laboratory',
    signal: new AbortController().signal,
    sleep: advance,
    users: { multiply: async () => {} },
  }
  await advance(10_000)
  await fault.inject(context)
  await advance(3 * EVALUATION_MS)
})
afterEach(() => stop())

it('the autoscaler needs more pods than its maximum', async () => {
  expect(viewAs('HorizontalPodAutoscaler', await api.get(autoscaler)).status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }),
  )
  expect(await readReplicas()).toBe(1)
})

it('the autoscaler adds the needed pods at its next evaluation after the maximum is raised', async () => {
  await api.patch(autoscaler, 'merge', { spec: { maxReplicas: 8 } })
  await context.sleep(EVALUATION_MS)
  expect(await readReplicas()).toBe(4)
})
