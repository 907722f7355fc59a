/** Tests that hacks continue if their pods are deleted in the meantime. */
import { expect, it } from 'vitest'
import type { Hack, KubeApi, RepairContext, SystemView } from '#spec'
import { degradedNode } from '../nodes/degraded-node.ts'
import { removePodLabel, restartCallersOrUpstreams } from './pod-hacks.ts'
import { restartTarget } from './restart-hacks.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart-1', uid: 'u1' } }
const restartNode = degradedNode({ name: 'sick', kind: 'StressChaos', spec: () => ({}) }).hacks.find(
  ({ name }) => name === 'restart-the-whole-node',
)!

/** The pod is listed twice; requests that change it fail. Returns the attempted requests. */
const runHack = async (hack: Hack, code: number): Promise<string[]> => {
  const requests: string[] = []
  let listCalls = 0
  const refuse = async (verb: string): Promise<never> => {
    requests.push(verb)
    throw Object.assign(new Error(`refused with ${code}`), { code })
  }
  const api = {
    list: async () => ({ items: listCalls++ < 2 ? [POD] : [], resourceVersion: '1' }),
    delete: () => refuse('delete'),
    patch: () => refuse('patch'),
  } as unknown as KubeApi
  const system = {
    namespace: 'shop',
    workloads: [{ service: 'cart' }, { service: 'front' }],
    edges: [{ from: 'front', to: 'cart' }],
    callersOf: () => ['front'],
  } as unknown as SystemView
  const context = {
    api,
    system,
    target: { service: 'cart' },
    params: {},
    state: { pod: 'cart-1', node: 'node1' },
    laboratory: 'lab',
    signal: new AbortController().signal,
    now: () => 0,
    sleep: async () => {},
  } satisfies RepairContext
  await hack.act(context)
  return requests
}

it.each([
  [restartTarget, 'delete'],
  [restartCallersOrUpstreams, 'delete'],
  [restartNode, 'delete'],
  [removePodLabel, 'patch'],
])('$name continues if its pod was deleted, and fails for other errors', async (hack, verb) => {
  expect(await runHack(hack, 404)).toContain(verb)
  await expect(runHack(hack, 403)).rejects.toThrow('refused with 403')
})
