/** Tests of faults that are injected by hand, on a cluster with simulated pods. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import type { ApiObject, EngineCluster, KubeApi, ObjectRef, ResourceRef } from '#spec'
import { loadSystem } from '#world/systems'
import { createManualFaults, type ManualFaults } from './manual-faults.ts'

const NAMESPACE = 'simple-micro'
const NAMESPACES: ResourceRef = { apiVersion: 'v1', plural: 'namespaces' }
const COLLECTIONS: Readonly<Record<string, ResourceRef>> = {
  Deployment: { apiVersion: 'apps/v1', plural: 'deployments', namespace: NAMESPACE },
  Service: { apiVersion: 'v1', plural: 'services', namespace: NAMESPACE },
}
const workload: ObjectRef = { ...COLLECTIONS.Deployment!, name: 'time-service' }
const service: ObjectRef = { ...COLLECTIONS.Service!, name: 'time-service' }

let stop: () => void
let api: KubeApi
let faults: ManualFaults
beforeEach(async () => {
  const clock = createRealClock()
  const random = createRandom('manual')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_node, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex }),
  })
  stop = () => cluster.stop()
  api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  const system = await loadSystem('simple-micro')
  await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
  for (const manifest of system.manifests as readonly ApiObject[]) {
    const collection = COLLECTIONS[manifest.kind]
    if (collection !== undefined) await api.create(collection, structuredClone(manifest))
  }
  faults = createManualFaults({ api } as unknown as EngineCluster, system)
})
afterEach(() => stop())

const inject = (fault: string) => faults.inject({ fault, target: 'time-service', parameters: [] })
const readWorkloadSpec = async (): Promise<unknown> => (await api.get(workload)).spec
const faultNamesOf = (list: readonly { fault: string }[]): string[] => list.map(({ fault }) => fault)

it('reverts all faults, the last one first', async () => {
  await inject('scaled-to-zero')
  await inject('target-port-wrong')
  expect(await readWorkloadSpec()).toMatchObject({ replicas: 0 })
  const { recovered, failed } = await faults.recover()
  expect([faultNamesOf(recovered), failed]).toEqual([['target-port-wrong', 'scaled-to-zero'], []])
  expect(await readWorkloadSpec()).toMatchObject({ replicas: 1 })
  expect(await faults.recover()).toEqual({ recovered: [], failed: [] })
})

it('reports a fault whose object is missing, drops it, and reverts the others', async () => {
  await inject('target-port-wrong')
  await inject('scaled-to-zero')
  await api.delete(workload)
  const { recovered, failed } = await faults.recover()
  expect(faultNamesOf(recovered)).toEqual(['target-port-wrong'])
  expect(failed).toEqual([
    {
      fault: 'scaled-to-zero',
      target: { service: 'time-service' },
      params: {},
      isTargetMissing: true,
      reason: expect.stringContaining('"time-service" not found'),
    },
  ])
  expect(await faults.recover()).toEqual({ recovered: [], failed: [] })
})

it('keeps a fault whose recovery failed for another reason', async () => {
  await inject('target-port-wrong')
  const { patch } = api
  let isBusy = true
  api.patch = async (...args) => {
    if (isBusy) throw Object.assign(new Error('the server is busy'), { code: 503 })
    return await patch(...args)
  }
  expect((await faults.recover()).failed).toMatchObject([
    { reason: 'the server is busy', isTargetMissing: false },
  ])
  isBusy = false
  expect(faultNamesOf((await faults.recover()).recovered)).toEqual(['target-port-wrong'])
})

it('rejects a fault that is already injected or being injected', async () => {
  const results = await Promise.allSettled([inject('scaled-to-zero'), inject('scaled-to-zero')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(results[1]).toMatchObject({ reason: { message: expect.stringContaining('is being injected') } })
  await expect(inject('scaled-to-zero')).rejects.toThrow('is already injected')
  expect(faultNamesOf((await faults.recover()).recovered)).toEqual(['scaled-to-zero'])
})

it('reports that a fault cannot be injected into a cluster that lacks its workload', async () => {
  await api.delete(workload)
  await expect(inject('scaled-to-zero')).rejects.toMatchObject({
    code: 'not-ready',
    message: expect.stringMatching(/^The fault scaled-to-zero cannot be injected: .*not found\.$/),
  })
})

it('leaves no objects behind when it rejects a fault that needs users, and can inject another fault', async () => {
  const before = await api.get(service)
  const injection = faults.inject({ fault: 'autoscaler-ceiling', parameters: [] })
  await expect(injection).rejects.toThrow('a bare cluster has none')
  const autoscalers = { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers' }
  expect((await api.list(autoscalers)).items).toEqual([])
  expect(await faults.recover()).toEqual({ recovered: [], failed: [] })
  await inject('target-port-wrong')
  await faults.recover()
  expect((await api.get(service)).spec).toEqual(before.spec)
})

it.each([
  [
    'network-policy-denies',
    'time-servise',
    'The fault network-policy-denies does not fit the service time-servise of simple-micro.',
    'simple-micro has no service "time-servise"; did you mean "time-service"? The fault fits time-service.',
  ],
  [
    'network-policy-denies',
    'hello-service',
    'The fault network-policy-denies does not fit the service hello-service of simple-micro.',
    'The fault cannot act on hello-service. It fits time-service.',
  ],
  [
    'database-dropped',
    undefined,
    'The fault database-dropped does not fit any service of simple-micro.',
    'The fault cannot act on any service of simple-micro. Its effect: ',
  ],
])('reports why the fault %s cannot be injected into %s', async (fault, target, message, hint) => {
  const injection = faults.inject({ fault, parameters: [], ...(target === undefined ? {} : { target }) })
  await expect(injection).rejects.toMatchObject({
    code: 'bad-argument',
    message,
    hint: expect.stringContaining(hint),
  })
  expect(await faults.recover()).toEqual({ recovered: [], failed: [] })
})
