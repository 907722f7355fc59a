/** Tests faults inside one pod: which pod they affect, and when they are gone. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject, CauseSnapshot, FaultContext, KubeApi, ObjectEvent, ObjectsView } from '#spec'
import { podBound } from './pod-bound.ts'

const RUNNING = { running: { startedAt: '2026-01-01T00:00:00Z' } }

const toPod = (name: string, uid: string, isReady: boolean, container = 'c1'): ApiObject => ({
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
let emit: (event: ObjectEvent) => void
let areInjected: boolean

/** A fake cluster with pods, and with chaos objects that are injected at once. */
const cluster: Pick<KubeApi, 'list' | 'create' | 'get' | 'delete' | 'watch'> = {
  list: async ({ plural }) => ({
    items:
      plural === 'pods'
        ? pods.filter(({ metadata }) => Object.keys(metadata.labels ?? {}).length > 0)
        : [...chaos.values()],
    resourceVersion: '1',
  }),
  watch: async (_, _options, onEvent) => {
    emit = onEvent
    return () => {
      emit = () => {}
    }
  },
  create: async (_, object) => {
    const { metadata } = object as ApiObject
    const created = {
      ...(object as ApiObject),
      metadata: { ...metadata, uid: `uid-${metadata.name}`, creationTimestamp: '2026-01-02T00:00:00Z' },
      status: { conditions: [{ type: 'AllInjected', status: areInjected ? 'True' : 'False' }] },
    }
    chaos.set(created.metadata.name, created)
    return created
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

let isActive: boolean
let probeEffect: () => Promise<boolean>
const fault = podBound({
  name: 'swamp',
  kind: 'StressChaos',
  lastsIn: 'container',
  evidenceClause: 'which is swamped',
  spec: ({ params, share }) => ({ size: Number(params.size) * share }),
  hasEffect: () => probeEffect(),
})

beforeEach(() => {
  chaos = new Map()
  emit = () => {}
  areInjected = true
  isActive = true
  probeEffect = async () => isActive
  pods = [toPod('cart-0', 'a', true), toPod('cart-1', 'b', false), toPod('cart-2', 'c', true)]
})

const toView = (): ObjectsView => ({ get: () => undefined, list: () => pods })
const toSnapshot = (state: object, facts: object): CauseSnapshot =>
  ({
    ...context,
    state,
    facts,
    now: toView(),
    baseline: toView(),
    injected: toView(),
  }) as unknown as CauseSnapshot
const isGone = async (state: Awaited<ReturnType<typeof fault.inject>>) =>
  fault.isGone(toSnapshot(state, await fault.probe(context, state)))

it('affects a ready pod of the target', async () => {
  expect(await fault.inject(context)).toEqual({ pod: 'cart-2', uid: 'c', container: 'c1' })
  expect(chaos.get('swamp-cart')?.spec).toEqual({
    mode: 'one',
    selector: { pods: { shop: ['cart-2'] } },
    size: 10,
  })
})

it('grows in the same pod, but not in a pod that replaces it', async () => {
  const state = await fault.inject({ ...context, share: 0.5 })
  expect(await fault.inject(context, state)).toEqual(state)
  expect(chaos.get('swamp-cart')?.spec).toMatchObject({ size: 10 })
  pods = [toPod('cart-2', 'new', true)]
  expect(await fault.inject(context, state)).toEqual(state)
  expect(chaos.size).toBe(0)
})

describe('a fault inside one pod', () => {
  it('is gone with its pod', async () => {
    const state = await fault.inject(context)
    expect(await isGone(state)).toEqual({
      holds: false,
      evidence: 'the pod cart-2, which is swamped, still exists',
    })
    pods = [toPod('cart-2', 'new', true)]
    expect(await isGone(state)).toEqual({
      holds: true,
      evidence: 'the pod cart-2, which is swamped, is gone',
    })
  })

  it('is not gone if the pod was hidden from its service', async () => {
    const state = await fault.inject(context)
    const affected = pods.at(-1)!
    pods = [...pods.slice(0, -1), { ...affected, metadata: { ...affected.metadata, labels: {} } }]
    expect(await isGone(state)).toMatchObject({ holds: false })
  })

  it('is gone with its container', async () => {
    const state = await fault.inject(context)
    pods = [toPod('cart-2', 'c', true, 'c2')]
    expect(await isGone(state)).toMatchObject({ holds: true })
  })

  it('is gone if it was ended inside the pod, but not while the laboratory pauses it', async () => {
    const state = await fault.inject(context)
    isActive = false
    expect(await isGone(state)).toMatchObject({ holds: true })
    await fault.recover(context)
    expect(await isGone(state)).toMatchObject({ holds: false })
  })

  it.each<[string, (created: ApiObject) => ApiObject]>([
    ['is not injected yet', (created) => ({ ...created, status: {} })],
    [
      'is terminating',
      (created) => ({ ...created, metadata: { ...created.metadata, deletionTimestamp: 'now' } }),
    ],
  ])('is not gone if its chaos object %s', async (_what, change) => {
    const state = await fault.inject(context)
    isActive = false
    chaos.set('swamp-cart', change(chaos.get('swamp-cart')!))
    expect(await isGone(state)).toMatchObject({ holds: false })
  })

  it('is not gone if the laboratory pauses it during the probe', async () => {
    const state = await fault.inject(context)
    probeEffect = async () => !chaos.delete('swamp-cart')
    expect(await isGone(state)).toMatchObject({ holds: false })
  })
})

describe('a fault that follows restarted containers', () => {
  const following = podBound({
    name: 'swamp',
    kind: 'StressChaos',
    lastsIn: 'pod',
    follows: true,
    evidenceClause: 'which is swamped',
    spec: () => ({ size: 10 }),
    hasEffect: () => probeEffect(),
  })
  const isFollowingGone = async (state: Awaited<ReturnType<typeof following.inject>>) =>
    following.isGone(toSnapshot(state, await following.probe(context, state)))
  const restart = async (): Promise<void> => {
    pods = [toPod('cart-2', 'c', true, 'c2')]
    emit({ type: 'MODIFIED', object: pods[0]! })
    await new Promise((resolve) => setImmediate(resolve))
  }

  it('is injected into the new container, and is removed completely', async () => {
    const state = await following.inject(context)
    await restart()
    expect([...chaos.keys()]).toEqual(['swamp-cart', 'swamp-cart-again-cart-2-2'])
    expect(await isFollowingGone(state)).toMatchObject({ holds: false })
    await following.recover(context)
    expect(chaos.size).toBe(0)
  })

  it('is gone if it was ended inside the new container', async () => {
    const state = await following.inject(context)
    await restart()
    isActive = false
    expect(await isFollowingGone(state)).toMatchObject({ holds: true })
  })

  it('remains between two containers, and before the new one is injected', async () => {
    const state = await following.inject(context)
    isActive = false
    pods = [toPod('cart-2', 'c', true, 'c2')]
    expect(await isFollowingGone(state)).toMatchObject({ holds: false })
    const [pod] = pods
    const containerStatuses = [{ name: 'server', containerID: 'c1', state: { waiting: {} } }]
    pods = [{ ...pod!, status: { phase: 'Running', containerStatuses } }]
    expect(await isFollowingGone(state)).toMatchObject({ holds: false })
  })

  it('is gone if it was ended inside a container that was injected again', async () => {
    const state = await following.inject(context)
    await restart()
    const later = await following.inject(context, state)
    expect([...chaos.keys()]).toEqual(['swamp-cart'])
    isActive = false
    expect(await isFollowingGone(later)).toMatchObject({ holds: true })
  })

  it('does not wait for a container that cannot run', async () => {
    const state = await following.inject(context)
    areInjected = false
    const [pod] = pods.slice(-1)
    const containerStatuses = [{ name: 'server', containerID: 'c1', state: { waiting: {} } }]
    pods = [{ ...pod!, status: { phase: 'Running', containerStatuses } }]
    await following.inject(context, state)
    expect(await isFollowingGone(state)).toMatchObject({ holds: false })
  })

  it('does not affect a new pod of the same name', async () => {
    await following.inject(context)
    emit({ type: 'MODIFIED', object: toPod('cart-2', 'new', true, 'c3') })
    await new Promise((resolve) => setImmediate(resolve))
    expect([...chaos.keys()]).toEqual(['swamp-cart'])
  })
})

it('has a fix that deletes the affected pod', async () => {
  const state = await fault.inject(context)
  expect(fault.fix({ ...context, state })).toMatch(/kind: Pod[\s\S]*name: cart-2/)
})
