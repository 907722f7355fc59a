/** A fault in one pod: whom it hits, and when it is gone. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject, FaultContext, KubeApi, ObjectEvent, ObjectsView, Scene } from '../spec/index.ts'
import { podBound } from './pod-bound.ts'

const RUNNING = { running: { startedAt: '2026-01-01T00:00:00Z' } }

const podNamed = (name: string, uid: string, isReady: boolean, container = 'c1'): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid, labels: { role: name } },
  spec: { containers: [{ name: 'server' }, { name: 'sidecar' }] },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    containerStatuses: [
      { name: 'sidecar', containerID: 'other' },
      {
        name: 'server',
        containerID: container,
        state: container === 'c1' ? RUNNING : { running: { startedAt: '2026-01-02T00:00:00Z' } },
      },
    ],
  },
})

let pods: ApiObject[]
let chaos: Map<string, ApiObject>
let tell: (event: ObjectEvent) => void
let areInForce: boolean

/** As much of a cluster as such a fault touches: pods, and chaos objects that are in force at once. */
const cluster: Pick<KubeApi, 'list' | 'create' | 'get' | 'delete' | 'watch'> = {
  list: async ({ plural }) => ({
    items:
      plural === 'pods'
        ? pods.filter(({ metadata }) => Object.keys(metadata.labels ?? {}).length > 0)
        : [...chaos.values()],
    resourceVersion: '1',
  }),
  watch: async (_, _options, onEvent) => {
    tell = onEvent
    return () => {
      tell = () => {}
    }
  },
  create: async (_, object) => {
    const { metadata } = object as ApiObject
    const made = {
      ...(object as ApiObject),
      metadata: { ...metadata, uid: `uid-${metadata.name}`, creationTimestamp: '2026-01-02T00:00:00Z' },
      status: { conditions: [{ type: 'AllInjected', status: areInForce ? 'True' : 'False' }] },
    }
    chaos.set(made.metadata.name, made)
    return made
  },
  get: async ({ plural, name }) => {
    const found = plural === 'pods' ? pods.find(({ metadata }) => metadata.name === name) : chaos.get(name)
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 404 })
    return found
  },
  delete: async ({ name }) => {
    if (!chaos.delete(name)) throw Object.assign(new Error('not found'), { code: 404 })
  },
}

const context = {
  api: cluster,
  system: { namespace: 'shop' },
  target: { service: 'cart', role: 'cart-2' },
  params: { size: 10 },
  laboratory: 'laboratory',
  share: 1,
  signal: new AbortController().signal,
  sleep: async () => {},
} as unknown as FaultContext

let isAtWork: boolean
let lookInside: () => Promise<boolean>
const fault = podBound({
  name: 'swamp',
  kind: 'StressChaos',
  lastsIn: 'container',
  what: 'which is swamped',
  spec: ({ params, share }) => ({ size: Number(params.size) * share }),
  isAtWork: () => lookInside(),
})

beforeEach(() => {
  chaos = new Map()
  tell = () => {}
  areInForce = true
  isAtWork = true
  lookInside = async () => isAtWork
  pods = [podNamed('cart-0', 'a', true), podNamed('cart-1', 'b', false), podNamed('cart-2', 'c', true)]
})

const view = (): ObjectsView => ({ get: () => undefined, list: () => pods })
const sceneOf = (state: object, facts: object): Scene =>
  ({ ...context, state, facts, now: view(), baseline: view(), injected: view() }) as unknown as Scene
const isGone = async (state: Awaited<ReturnType<typeof fault.inject>>) =>
  fault.isGone(sceneOf(state, await fault.probe(context, state)))

it('hits a pod that serves, and the right one', async () => {
  expect(await fault.inject(context)).toEqual({ pod: 'cart-2', uid: 'c', container: 'c1' })
  expect(chaos.get('swamp-cart')?.spec).toEqual({
    mode: 'one',
    selector: { pods: { shop: ['cart-2'] } },
    size: 10,
  })
})

it('grows in the same pod, and not into one that has taken its place', async () => {
  const state = await fault.inject({ ...context, share: 0.5 })
  expect(await fault.inject(context, state)).toEqual(state)
  expect(chaos.get('swamp-cart')?.spec).toMatchObject({ size: 10 })
  pods = [podNamed('cart-2', 'new', true)]
  expect(await fault.inject(context, state)).toEqual(state)
  expect(chaos.size).toBe(0)
})

describe('is gone', () => {
  it('with its pod, and not before', async () => {
    const state = await fault.inject(context)
    expect(await isGone(state)).toEqual({
      holds: false,
      evidence: 'the pod cart-2, which is swamped, is still there',
    })
    pods = [podNamed('cart-2', 'new', true)]
    expect(await isGone(state)).toEqual({
      holds: true,
      evidence: 'the pod cart-2, which is swamped, is gone',
    })
  })

  it('not when it was hidden from its service', async () => {
    const state = await fault.inject(context)
    const hit = pods.at(-1)!
    pods = [...pods.slice(0, -1), { ...hit, metadata: { ...hit.metadata, labels: {} } }]
    expect(await isGone(state)).toMatchObject({ holds: false })
  })

  it('with its container', async () => {
    const state = await fault.inject(context)
    pods = [podNamed('cart-2', 'c', true, 'c2')]
    expect(await isGone(state)).toMatchObject({ holds: true })
  })

  it('when it was ended inside the pod, but not while the laboratory pauses it', async () => {
    const state = await fault.inject(context)
    isAtWork = false
    expect(await isGone(state)).toMatchObject({ holds: true })
    await fault.recover(context)
    expect(await isGone(state)).toMatchObject({ holds: false })
  })

  it.each<[string, (made: ApiObject) => ApiObject]>([
    ['does not act yet', (made) => ({ ...made, status: {} })],
    ['is on its way out', (made) => ({ ...made, metadata: { ...made.metadata, deletionTimestamp: 'now' } })],
  ])('not by an object of the laboratory that %s', async (_what, change) => {
    const state = await fault.inject(context)
    isAtWork = false
    chaos.set('swamp-cart', change(chaos.get('swamp-cart')!))
    expect(await isGone(state)).toMatchObject({ holds: false })
  })

  it('not when the laboratory has paused it while somebody looked', async () => {
    const state = await fault.inject(context)
    lookInside = async () => !chaos.delete('swamp-cart')
    expect(await isGone(state)).toMatchObject({ holds: false })
  })
})

describe('what follows the pod into new containers', () => {
  const following = podBound({
    name: 'swamp',
    kind: 'StressChaos',
    lastsIn: 'pod',
    follows: true,
    what: 'which is swamped',
    spec: () => ({ size: 10 }),
    isAtWork: () => lookInside(),
  })
  const follows = async (state: Awaited<ReturnType<typeof following.inject>>) =>
    following.isGone(sceneOf(state, await following.probe(context, state)))
  const restart = async (): Promise<void> => {
    pods = [podNamed('cart-2', 'c', true, 'c2')]
    tell({ type: 'MODIFIED', object: pods[0]! })
    await new Promise((resolve) => setImmediate(resolve))
  }

  it('is put into the new one, is still there, and is taken back with all', async () => {
    const state = await following.inject(context)
    await restart()
    expect([...chaos.keys()]).toEqual(['swamp-cart', 'swamp-cart-again-cart-2-2'])
    expect(await follows(state)).toMatchObject({ holds: false })
    await following.recover(context)
    expect(chaos.size).toBe(0)
  })

  it('is gone when it was ended inside the new one', async () => {
    const state = await following.inject(context)
    await restart()
    isAtWork = false
    expect(await follows(state)).toMatchObject({ holds: true })
  })

  it('is still there while the new one is not hit yet, and between two', async () => {
    const state = await following.inject(context)
    isAtWork = false
    pods = [podNamed('cart-2', 'c', true, 'c2')]
    expect(await follows(state)).toMatchObject({ holds: false })
    const [pod] = pods
    const containerStatuses = [{ name: 'server', containerID: 'c1', state: { waiting: {} } }]
    pods = [{ ...pod!, status: { phase: 'Running', containerStatuses } }]
    expect(await follows(state)).toMatchObject({ holds: false })
  })

  it('is gone when it was ended inside the one into which it came again', async () => {
    const state = await following.inject(context)
    await restart()
    const later = await following.inject(context, state)
    expect([...chaos.keys()]).toEqual(['swamp-cart'])
    isAtWork = false
    expect(await follows(later)).toMatchObject({ holds: true })
  })

  it('does not wait for a container that somebody keeps from running', async () => {
    const state = await following.inject(context)
    areInForce = false
    const [pod] = pods.slice(-1)
    const containerStatuses = [{ name: 'server', containerID: 'c1', state: { waiting: {} } }]
    pods = [{ ...pod!, status: { phase: 'Running', containerStatuses } }]
    await following.inject(context, state)
    expect(await follows(state)).toMatchObject({ holds: false })
  })

  it('leaves a pod alone that has taken its name', async () => {
    await following.inject(context)
    tell({ type: 'MODIFIED', object: podNamed('cart-2', 'new', true, 'c3') })
    await new Promise((resolve) => setImmediate(resolve))
    expect([...chaos.keys()]).toEqual(['swamp-cart'])
  })
})

it('is mended by a new pod', async () => {
  const state = await fault.inject(context)
  expect(fault.fix({ ...context, state })).toMatch(/kind: Pod[\s\S]*name: cart-2/)
})
