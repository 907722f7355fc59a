/** Tests of the store: versions, order, history and owner index, also against a simple model. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '#platform/kube/meta'
import type { Change } from './change.ts'
import type { PageRequest } from './read-page.ts'
import { createStore, type Store } from './store.ts'

const makeObject = (name: string, namespace = '', fields: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: {
    name,
    ...(namespace === '' ? {} : { namespace }),
    uid: `${namespace}/${name}`,
    resourceVersion: '',
    creationTimestamp: '',
    ...fields,
  },
})

const ownedObject = (name: string, namespace: string, uid: string): KubeObject =>
  makeObject(name, namespace, {
    ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: uid, uid, controller: true }],
  })

const names = (objects: readonly KubeObject[] | undefined): string[] | undefined =>
  objects?.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)

const listAt = (store: Store, version: number, namespace?: string): KubeObject[] | undefined =>
  store.page('k', { version, namespace, limit: Number.POSITIVE_INFINITY })?.items

describe('the store', () => {
  it('assigns the next version to every write of every kind', () => {
    const store = createStore()
    const first = store.put('a', makeObject('x'), undefined)
    const stored = store.put('b', makeObject('x'), undefined)
    const second = store.put('a', makeObject('x', '', { labels: { a: 'b' } }), first)
    const deleted = store.remove('a', second)
    expect([first, stored, second, deleted].map(({ metadata }) => metadata.resourceVersion)).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
    expect(store.version).toBe(4)
    expect(store.get('a', '', 'x')).toBeUndefined()
    expect(first.metadata.labels).toBeUndefined()
  })

  it('lets versions follow the clock, so that they do not tell the number of writes', () => {
    const versionsAfter = (writes: number): (number | string)[] => {
      let now = 5000
      const store = createStore({ clock: { now: () => now } })
      for (let index = 0; index < writes; index += 1) store.put('hidden', makeObject(`${index}`), undefined)
      now += 20
      const written = store.put('k', makeObject('x'), undefined).metadata.resourceVersion
      now += 1
      return [written, store.version]
    }
    expect(versionsAfter(0)).toEqual(['20001', 21_000])
    expect(versionsAfter(500)).toEqual(versionsAfter(0))
  })

  it('never gives a write a version that was the present one before, whatever the clock does', () => {
    let now = 5000
    const store = createStore({ clock: { now: () => now } })
    for (const time of [5000, 5001, 5001, 5000.5, 4000, 5002]) {
      now = time
      const before = store.version
      const { metadata } = store.put('k', makeObject(`${store.count('k')}`), undefined)
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(before)
      expect(store.since('k', before)?.map(({ object }) => object.metadata.name)).toEqual([metadata.name])
      expect(store.version).toBeGreaterThanOrEqual(Number(metadata.resourceVersion))
    }
  })

  it('drops its history up to the present version', () => {
    let now = 0
    const store = createStore({ clock: { now: () => now } })
    store.put('k', makeObject('x'), undefined)
    now = 10
    store.compact()
    expect(listAt(store, 9999)).toBeUndefined()
    expect(names(listAt(store, store.version))).toEqual(['/x'])
  })

  it('lists by namespace and then name, in the key order of etcd', () => {
    const store = createStore()
    for (const [namespace, name] of [
      ['b', 'a'],
      ['a', 'z'],
      ['a-b', 'm'],
      ['a', 'b'],
    ] as const)
      store.put('k', makeObject(name, namespace), undefined)
    expect(names(store.list('k'))).toEqual(['a-b/m', 'a/b', 'a/z', 'b/a'])
    expect(names(store.list('k', 'a'))).toEqual(['a/b', 'a/z'])
    expect(names(store.list('k', 'c'))).toEqual([])
    expect(store.count('k')).toBe(4)
  })

  it('finds the objects that an owner currently controls', () => {
    const store = createStore()
    const a = store.put('k', ownedObject('b', 'n', 'o1'), undefined)
    store.put('k', ownedObject('a', 'n', 'o1'), undefined)
    expect(names(store.ownedBy('k', 'o1'))).toEqual(['n/a', 'n/b'])
    const moved = store.put('k', { ...ownedObject('b', 'n', 'o2') }, a)
    expect(names(store.ownedBy('k', 'o1'))).toEqual(['n/a'])
    store.remove('k', moved)
    expect(store.ownedBy('k', 'o2')).toEqual([])
  })

  it('finds the objects that have no controller', () => {
    const store = createStore()
    const b = store.put('k', makeObject('b', 'n'), undefined)
    store.put('k', makeObject('a', 'm'), undefined)
    store.put('k', ownedObject('c', 'n', 'o1'), undefined)
    expect(names(store.ownedBy('k', ''))).toEqual(['m/a', 'n/b'])
    store.put('k', ownedObject('b', 'n', 'o1'), b)
    expect(names(store.ownedBy('k', ''))).toEqual(['m/a'])
    expect(names(store.ownedBy('k', 'o1'))).toEqual(['n/b', 'n/c'])
  })

  it('notifies listeners of the kind and of all kinds during the write, until they are removed', () => {
    const store = createStore()
    const seen: string[] = []
    const unwatch = store.watch('k', ({ type, version }) => seen.push(`k ${type} ${version}`))
    store.watch('*', ({ type, object: { metadata } }) => seen.push(`* ${type} ${metadata.name}`))
    const x = store.put('k', makeObject('x'), undefined)
    store.put('other', makeObject('y'), undefined)
    unwatch()
    store.remove('k', x)
    expect(seen).toEqual(['k ADDED 1', '* ADDED x', '* ADDED y', '* DELETED x'])
  })

  it('keeps the write and notifies the other listeners if a listener throws', () => {
    const errors: unknown[] = []
    const store = createStore({ onError: (error) => errors.push(error) })
    const seen: string[] = []
    const broken = new Error('broken')
    store.watch('k', () => {
      throw broken
    })
    store.watch('k', ({ type }) => seen.push(`k ${type}`))
    store.watch('*', ({ type }) => seen.push(`* ${type}`))
    const x = store.put('k', makeObject('x'), undefined)
    expect([store.get('k', '', 'x'), seen, errors]).toEqual([x, ['k ADDED', '* ADDED'], [broken]])
  })

  it('skips listeners that are added or removed during a notification', () => {
    const store = createStore()
    const seen: string[] = []
    store.watch('k', () => {
      seen.push('first')
      unwatch()
      store.watch('k', () => seen.push('late'))
    })
    const unwatch = store.watch('k', () => seen.push('left'))
    store.put('k', makeObject('x'), undefined)
    expect(seen).toEqual(['first'])
  })

  it('compacts old changes', () => {
    const store = createStore({ historyLimit: 4 })
    for (let index = 0; index < 20; index += 1) store.put('k', makeObject(`x${index}`), undefined)
    const oldest = store.oldest('k')
    expect(oldest).toBeGreaterThan(10)
    expect(store.since('k', oldest - 1)).toBeUndefined()
    expect(listAt(store, oldest - 1)).toBeUndefined()
    expect(store.since('k', oldest)).toHaveLength(20 - oldest)
    expect(listAt(store, oldest)).toHaveLength(oldest)
    expect(store.since('quiet', 0)).toEqual([])
  })

  it('keeps fewer changes of large objects, but always the latest', () => {
    const store = createStore({ historyBytes: 10_000 })
    const large = { annotations: { text: 'x'.repeat(1000) } }
    let last: KubeObject | undefined
    for (let turn = 0; turn < 100; turn += 1) last = store.put('k', makeObject('x', '', large), last)
    expect(store.oldest('k')).toBeGreaterThan(80)
    expect(store.since('k', store.oldest('k'))).toHaveLength(100 - store.oldest('k'))
    const huge = { annotations: { text: 'x'.repeat(100_000) } }
    for (let turn = 0; turn < 3; turn += 1) last = store.put('k', makeObject('x', '', huge), last)
    expect([store.oldest('k'), store.since('k', 102)]).toMatchObject([102, [{ version: 103 }]])
  })

  it('drops the history of all kinds, and keeps objects and watches', () => {
    const store = createStore()
    const seen: string[] = []
    store.watch('used', ({ type }) => void seen.push(type))
    const first = store.put('used', makeObject('x'), undefined)
    store.compact()
    expect([store.since('used', 0), store.since('unused', 0)]).toEqual([undefined, undefined])
    expect([store.since('used', 1), store.oldest('used'), store.list('used')]).toEqual([[], 1, [first]])
    store.put('used', makeObject('x'), first)
    expect(store.since('used', 1)).toMatchObject([{ type: 'MODIFIED' }])
    expect(seen).toEqual(['ADDED', 'MODIFIED'])
  })

  it('compacts the history of kinds that are removed', () => {
    const store = createStore()
    const before = store.put('removed', makeObject('x'), undefined)
    store.put('kept', makeObject('x'), undefined)
    store.retain(new Set(['kept', 'quiet']))
    expect(store.list('removed')).toEqual([before])
    store.remove('removed', before)
    store.retain(new Set(['kept', 'quiet']))
    expect(store.since('removed', 2)).toBeUndefined()
    expect(store.since('removed', 3)).toEqual([])
    expect([store.since('kept', 0), store.since('quiet', 0)]).toMatchObject([[{ version: 2 }], []])
    store.put('removed', makeObject('y'), undefined)
    expect([store.oldest('removed'), store.since('removed', 3)]).toMatchObject([3, [{ type: 'ADDED' }]])
  })

  it('is full when the current objects of all kinds exceed the quota', () => {
    const store = createStore({ quotaBytes: 25_000 })
    const large = { annotations: { text: 'x'.repeat(10_000) } }
    const first = store.put('a', makeObject('x', '', large), undefined)
    const second = store.put('b', makeObject('x', '', large), undefined)
    expect(store.isFull).toBe(false)
    const third = store.put('a', makeObject('y', '', large), undefined)
    expect(store.isFull).toBe(true)
    const small = store.put('a', makeObject('x'), first)
    expect(store.isFull).toBe(false)
    store.put('a', makeObject('x', '', large), small)
    expect(store.isFull).toBe(true)
    store.remove('b', second)
    store.remove('a', third)
    expect(store.isFull).toBe(false)
  })

  it('seals stored objects', () => {
    const store = createStore({ seal: Object.freeze })
    expect(Object.isFrozen(store.put('k', makeObject('x'), undefined))).toBe(true)
  })
})

/** One step: puts the object with an owner, or removes it. */
const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  namespace: fc.constantFrom('', 'n', 'n-1', 'm'),
  owner: fc.constantFrom(undefined, 'o1', 'o2'),
  remove: fc.boolean(),
})

interface Step {
  name: string
  namespace: string
  owner: string | undefined
  remove: boolean
}

const applySteps = (store: Store, steps: readonly Step[]): Map<number, Map<string, KubeObject>> => {
  const model = new Map<string, KubeObject>()
  const states = new Map([[0, new Map<string, KubeObject>()]])
  for (const { name, namespace, owner, remove } of steps) {
    const key = `${namespace}/${name}`
    const old = store.get('k', namespace, name)
    if (remove) {
      if (old === undefined) continue
      store.remove('k', old)
      model.delete(key)
    } else {
      const draft = owner === undefined ? makeObject(name, namespace) : ownedObject(name, namespace, owner)
      model.set(key, store.put('k', draft, old))
    }
    states.set(store.version, new Map(model))
  }
  return states
}

const sortedObjects = (state: ReadonlyMap<string, KubeObject>): KubeObject[] =>
  [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)

describe('any sequence of writes', () => {
  it('gives the same result as a plain map, now and at every kept version', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = createStore({ historyLimit: 10 })
        const states = applySteps(store, steps)
        const last = sortedObjects(states.get(store.version)!)
        expect(store.list('k')).toEqual(last)
        for (const namespace of ['n', 'n-1', 'm'])
          expect(store.list('k', namespace)).toEqual(
            last.filter(({ metadata }) => metadata.namespace === namespace),
          )
        for (const [version, state] of states) {
          if (version < store.oldest('k')) expect(listAt(store, version)).toBeUndefined()
          else {
            expect(listAt(store, version)).toEqual(sortedObjects(state))
            expect(listAt(store, version, 'n')).toEqual(
              sortedObjects(state).filter(({ metadata }) => metadata.namespace === 'n'),
            )
          }
        }
        for (const owner of ['o1', 'o2', ''])
          expect(store.ownedBy('k', owner)).toEqual(
            last.filter(({ metadata }) => (metadata.ownerReferences?.[0]?.uid ?? '') === owner),
          )
      }),
      { seed: 1, numRuns: 200 },
    )
  })

  it('can be read in consistent pages of any size at every kept version', () => {
    const readPages = (store: Store, request: Omit<PageRequest, 'after'>): KubeObject[] => {
      const all: KubeObject[] = []
      for (let after = ''; ; ) {
        const page = store.page('k', { ...request, after })!
        all.push(...page.items)
        if (!page.more) return all
        expect(page.items).toHaveLength(request.limit)
        const { namespace = '', name } = page.items.at(-1)!.metadata
        after = `${namespace}/${name}`
      }
    }
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (steps, limit) => {
        const store = createStore({ historyLimit: 10 })
        for (const [version, state] of applySteps(store, steps)) {
          if (version < store.oldest('k')) continue
          for (const namespace of [undefined, 'n', 'n-1']) {
            const expected = sortedObjects(state).filter(
              ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
            )
            expect(readPages(store, { version, namespace, limit })).toEqual(expected)
            const first = store.page('k', { version, namespace, limit })!
            expect(first.remaining ?? 0).toBe(Math.max(0, expected.length - limit))
            const matches = ({ metadata }: KubeObject) => metadata.name < 'c'
            expect(readPages(store, { version, namespace, limit, matches })).toEqual(expected.filter(matches))
          }
        }
      }),
      { seed: 3, numRuns: 200 },
    )
  })

  it('can be paged without testing more objects than a page needs', () => {
    const store = createStore()
    for (let index = 0; index < 1000; index += 1)
      store.put('k', makeObject(`x${1000 + index}`, 'n'), undefined)
    let tested = 0
    const matches = (): boolean => {
      tested += 1
      return true
    }
    const page = store.page('k', { version: 1000, namespace: 'n', after: 'n/x1499', limit: 2, matches })
    expect([names(page?.items), page?.more, page?.remaining]).toEqual([
      ['n/x1500', 'n/x1501'],
      true,
      undefined,
    ])
    expect(tested).toBe(3)
  })

  it('can be replayed from its changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(40), (steps, from) => {
        const store = createStore()
        const states = applySteps(store, steps)
        const start = Math.min(from, store.version)
        const replayed = new Map(states.get(start)!)
        const changes: Change[] = store.since('k', start)!
        for (const {
          type,
          object: { metadata },
          object: changed,
        } of changes) {
          const key = `${metadata.namespace ?? ''}/${metadata.name}`
          if (type === 'DELETED') replayed.delete(key)
          else replayed.set(key, changed)
        }
        expect(sortedObjects(replayed)).toEqual(store.list('k'))
        expect(changes.map(({ version }) => version)).toEqual(
          Array.from({ length: store.version - start }, (_, index) => start + 1 + index),
        )
      }),
      { seed: 2, numRuns: 200 },
    )
  })
})
