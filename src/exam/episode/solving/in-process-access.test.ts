/** Tests the accounts of agents on a cluster without sockets: they have the same rights, without a token. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import { type Cluster, createCluster, createSimulatedRuntime } from '#platform/kube'
import type { ApiWrite, EngineCluster, KubeApi, Solver } from '#spec'
import { solve as solveStage } from '../stages/solve.ts'
import { createFakeLab, toSolveInputs } from '../testing/fake-lab.ts'
import { closeAgentAccess, createAgentAccounts, openAgentAccess } from './agent-access.ts'

const NAMESPACE = 'little'
const CONFIG_MAPS = { apiVersion: 'v1', plural: 'configmaps', namespace: NAMESPACE }
const NODE = { apiVersion: 'v1', plural: 'nodes', name: 'node1' }

let cluster: Cluster
let admin: KubeApi
let engine: EngineCluster

beforeAll(async () => {
  const clock = createVirtualClock()
  const random = createRandom('access')
  cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({}) }),
  })
  clock.advance(60_000)
  admin = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  const access = (): never => {
    throw new Error('a cluster without sockets was asked for a token')
  }
  engine = {
    id: 'sim',
    api: admin,
    kubeconfig: '',
    access,
    accessAs: cluster.accessAs,
  } as Partial<EngineCluster> as EngineCluster
  await admin.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: NAMESPACE } })
  await createAgentAccounts(admin, NAMESPACE)
})
afterAll(() => cluster.stop())

const codeOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 200,
    ({ code }) => code,
  )

it('lets an operator repair the system, and nothing else', async () => {
  const { api, kubeconfig, followWrites } = await openAgentAccess(engine, NAMESPACE, 'mitigation')
  const writes: ApiWrite[] = []
  const stop = followWrites!((write) => void writes.push(write))
  expect(kubeconfig).toBe('')
  expect(await codeOf(api.create(CONFIG_MAPS, { metadata: { name: 'mine' } }))).toBe(200)
  expect(
    await codeOf(api.create({ ...CONFIG_MAPS, namespace: 'default' }, { metadata: { name: 'm' } })),
  ).toBe(403)
  expect(await codeOf(api.list({ apiVersion: 'v1', plural: 'secrets' }))).toBe(403)
  expect(await codeOf(api.patch(NODE, 'merge', { spec: { unschedulable: true } }))).toBe(200)
  // The annotation on the account forbids what RBAC cannot.
  expect(await codeOf(api.patch(NODE, 'merge', { metadata: { finalizers: ['example.com/x'] } }))).toBe(403)
  stop()
  await admin.patch(NODE, 'merge', { spec: { unschedulable: null } })
  expect(writes.map(({ verb, object, code }) => `${verb} ${object} ${code}`)).toEqual([
    'create configmaps 201',
    'create configmaps 403',
    'patch nodes/node1 200',
    'patch nodes/node1 403',
  ])
})

it('lets an observer read only', async () => {
  const { api } = await openAgentAccess(engine, NAMESPACE, 'detection')
  expect(await codeOf(api.list(CONFIG_MAPS))).toBe(200)
  expect(await codeOf(api.create(CONFIG_MAPS, { metadata: { name: 'other' } }))).toBe(403)
})

it('recreates an account that the end of the previous solver has deleted', async () => {
  await closeAgentAccess(engine, 'mitigation')
  expect(() => cluster.accessAs({ namespace: 'default', name: 'operator' })).toThrow(
    'there is no service account',
  )
  const { api } = await openAgentAccess(engine, NAMESPACE, 'mitigation')
  expect(await codeOf(api.list(CONFIG_MAPS))).toBe(200)
})

it('gives each attempt an ID, although there are no credentials', async () => {
  const solveOnce = async (): Promise<string> => {
    const { equipment, log } = createFakeLab()
    const ids: string[] = []
    const solver: Solver = { name: 's', solve: async ({ episode }) => void ids.push(episode) }
    const inputs = toSolveInputs(equipment, { steps: 3, seconds: 1 })
    await solveStage.run({
      equipment: { ...equipment, cluster: { ...engine, telemetry: equipment.cluster.telemetry! } },
      log,
      solver,
      ...inputs,
    })
    return ids[0]!
  }
  const ids = [await solveOnce(), await solveOnce()]
  expect(ids[0]).toMatch(/^[0-9a-f]{16}$/)
  expect(new Set(ids).size).toBe(2)
})
