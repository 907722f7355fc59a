/** Hacks go on where the pods that they are about have gone while they looked. */
import { expect, it } from 'vitest'
import type { Hack, HackContext, KubeApi, SystemView } from '../spec/index.ts'
import { hideThePod, restartNeighbours } from './pod-hacks.ts'
import { restartTheTarget } from './restart-hacks.ts'
import { sickNode } from './sick-node.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart-1', uid: 'u1' } }
const restartTheNode = sickNode({ name: 'sick', kind: 'StressChaos', spec: () => ({}) }).hacks.find(
  ({ name }) => name === 'restart-the-whole-node',
)!

/** The pod is listed once; whoever then touches it is refused. Gives what was tried. */
const play = async (hack: Hack, code: number): Promise<string[]> => {
  const tried: string[] = []
  let looks = 0
  const refuse = async (verb: string): Promise<never> => {
    tried.push(verb)
    throw Object.assign(new Error(`refused with ${code}`), { code })
  }
  const api = {
    list: async () => ({ items: looks++ < 2 ? [POD] : [], resourceVersion: '1' }),
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
    sleep: async () => {},
  } satisfies HackContext
  await hack.act(context)
  return tried
}

it.each([
  [restartTheTarget, 'delete'],
  [restartNeighbours, 'delete'],
  [restartTheNode, 'delete'],
  [hideThePod, 'patch'],
])('$name', async (hack, verb) => {
  expect(await play(hack, 404)).toContain(verb)
  await expect(play(hack, 403)).rejects.toThrow('refused with 403')
})
