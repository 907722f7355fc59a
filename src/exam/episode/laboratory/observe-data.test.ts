/** Tests that stores that do not answer after the solver are observed again, as long as their containers run. */
import { expect, it } from 'vitest'
import { fakeStoreContext, startStore } from '#exam/testing'
import type { ApiObject, ContainerInspection } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { createFakeLab, toProblem } from '../testing/fake-lab.ts'
import type { Equipment } from './equipment.ts'
import { observeData, observeUnanswered } from './observe-data.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))
const STORE = 'redis-cart'

/** A record up to the end of the solver, with one store that can be blocked, and whose container can end. */
const startRecord = async () => {
  const store = await startStore('redis', {})
  await store.client.query({ redis: ['SET', 'cart-of-a-user', 'a'] })
  const { storePod } = fakeStoreContext(boutique, { service: STORE }, store)
  const [main] = boutique.workloadOf(STORE).podSpec.containers
  const pod: ApiObject = {
    ...storePod,
    metadata: { ...storePod.metadata, namespace: boutique.namespace },
    status: { containerStatuses: [{ name: main!.name, containerID: 'containerd://c1' }] },
  }
  const { context } = fakeStoreContext(boutique, { service: STORE }, store, [pod])
  const { equipment, log } = createFakeLab()
  let [isBlocked, isRunning] = [false, true]
  const container: ContainerInspection = {
    ...{ id: 'c1', name: main!.name, processes: [], deletedFiles: [], usedBytes: 0 },
  }
  const observed: Equipment = {
    ...equipment,
    view: boutique,
    objects: { list: () => [pod], close() {} },
    cluster: {
      ...equipment.cluster,
      api: context.api,
      connectTo: async (...parameters) => {
        if (isBlocked) throw new Error('the connection was refused')
        return context.connectTo!(...parameters)
      },
      containersIn: () => (isRunning ? [container] : []),
    },
  }
  const start = { schema: 2, time: 0, problem: toProblem([]), solver: 's', engine: 'e' } as const
  const load = { loop: 'open', arrivals: { kind: 'constant', rate: 1 } } as const
  log.add({ type: 'episode-started', ...start, load })
  await observeData(observed, log)
  await observeData(observed, log)
  log.add({ type: 'solver-started' })
  log.add({ type: 'solver-ended', outcome: 'submitted' })
  const change = (blocked: boolean, running: boolean): void => {
    ;[isBlocked, isRunning] = [blocked, running]
  }
  const repeat = () => observeUnanswered(observed, log)
  return { log, change, repeat, observe: () => observeData(observed, log) }
}

const namesIn = (stores: readonly { readonly store: string }[] = []): string[] =>
  stores.map(({ store }) => store)

it('observes a store again until it answers', async () => {
  const { log, change, repeat, observe } = await startRecord()
  change(true, true)
  await observe()
  expect(log.view.data.at(-1)).toMatchObject({ stores: [], unanswered: [STORE] })
  await repeat()
  expect(log.view.data).toHaveLength(3)
  change(false, true)
  await repeat()
  expect(namesIn(log.view.data.at(-1)?.stores)).toEqual([STORE])
  expect(log.view.data.at(-1)).not.toHaveProperty('unanswered')
  await repeat()
  expect(log.view.data).toHaveLength(4)
})

it('does not expect an answer of a store whose container has ended', async () => {
  const { log, change, repeat, observe } = await startRecord()
  change(true, true)
  await observe()
  change(true, false)
  await repeat()
  expect(log.view.data.at(-1)).toMatchObject({ stores: [] })
  expect(log.view.data.at(-1)).not.toHaveProperty('unanswered')
})

it('asks stores about their files after the solver, and reads their settings each time', async () => {
  const { log, observe } = await startRecord()
  await observe()
  const stores = log.view.data.map(({ stores: [store] }) => [
    store?.isPersisted,
    store?.settings?.['setting port'],
  ])
  expect(stores).toEqual([
    [undefined, '0'],
    [undefined, '0'],
    [true, '0'],
  ])
})
