/** Proves on a cluster of modelled pods that the ceiling is what holds the autoscaler back, and that raising it is enough. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRandom, createVirtualClock, type VirtualClock } from '../../kit/index.ts'
import { createCluster, createSimulatedRuntime } from '../../kube/index.ts'
import type { ApiObject, FaultContext, KubeApi } from '../../spec/index.ts'
import { createSystemView } from '../../system-view/index.ts'
import { loadSystem } from '../../systems/index.ts'
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
/** Of the crowd, in cores: more than one small pod has. */
const NEEDED = 0.1
/** Between two looks of an autoscaler. */
const LOOK_MS = 15_000

let clock: VirtualClock
let api: KubeApi
let stop: () => void
let context: FaultContext

const replicas = async (): Promise<number> =>
  ((await api.get(workload)).spec as { replicas: number }).replicas

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
            const cpu = (): number => (container.name === SERVICE ? Math.min(limit, NEEDED / running) : 0)
            return { usage: () => ({ cpu: cpu(), memory: 2 ** 20 }) }
          },
        }),
      }),
  })
  stop = () => cluster.stop()
  api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: namespace } })
  await api.create(deployments, structuredClone(system.workloadOf(SERVICE).manifest))
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    running = await replicas()
  }
  context = {
    api,
    system,
    target: { service: SERVICE },
    params: { factor: 3, podCpu: 50 },
    share: 1,
    laboratory: 'laboratory',
    signal: new AbortController().signal,
    sleep: pass,
    users: { multiply: async () => {} },
  }
  await pass(10_000)
  await fault.inject(context)
  await pass(3 * LOOK_MS)
})
afterEach(() => stop())

it('wants more pods than it may have', async () => {
  const { status } = (await api.get(autoscaler)) as ApiObject & { status: { conditions: object[] } }
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }),
  )
  expect(await replicas()).toBe(1)
})

it('gets them at its next look once the ceiling is raised, and nothing else', async () => {
  await api.patch(autoscaler, 'merge', { spec: { maxReplicas: 8 } })
  await context.sleep(LOOK_MS)
  expect(await replicas()).toBe(4)
})
