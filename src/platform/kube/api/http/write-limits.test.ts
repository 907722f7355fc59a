/** Tests of the storage quota and of the write rate limit. */
import { afterEach, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { configMaps } from '#platform/kube/kinds'
import { OWNER_UID } from '#platform/kube/ports'
import { createInProcessObjects } from '../in-process/in-process-objects.ts'
import { ADMIN, createTestApi, type TestApi } from '../testing/create-test-api.ts'
import { createWriteLimiter } from './write-limiter.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const STORE_FULL = { code: 500, message: 'etcdserver: mvcc: database space exceeded' }

let api: TestApi | undefined
afterEach(async () => {
  await api?.close()
  api = undefined
})

const configMap = (name: string, size: number) => ({
  ...({ apiVersion: 'v1', kind: 'ConfigMap' } as const),
  metadata: { name, namespace: 'default' },
  data: { x: 'x'.repeat(size) },
})

it('rejects writes when the store is full, but allows deletions', async () => {
  api = await createTestApi({ quotaBytes: 300_000 })
  const post = async (name: string) =>
    (await api!.send(MAPS, { method: 'POST', body: configMap(name, 100_000) })).json
  for (const name of ['a', 'b', 'c']) expect(await post(name)).toMatchObject({ kind: 'ConfigMap' })
  expect(await post('d')).toMatchObject(STORE_FULL)
  const update = await api.send(`${MAPS}/a`, { method: 'PUT', body: configMap('a', 200_000) })
  expect(update.json).toMatchObject(STORE_FULL)
  const { client } = api.resources
  expect(() => client.create(configMaps, configMap('d', 1))).toThrow(STORE_FULL.message)
  // Components of the cluster can still update their objects.
  const stored = client.get(configMaps, 'default', 'a')!
  expect(client.update(configMaps, { ...stored, data: { y: '' } }).data).toEqual({ y: '' })
  expect((await api.send(`${MAPS}/b`, { method: 'DELETE' })).code).toBe(200)
  expect(await post('d')).toMatchObject({ kind: 'ConfigMap' })
  expect(api.unexpected).toEqual([])
})

it('exempts the owner of the cluster from the quota, but not users who impersonate it', async () => {
  api = await createTestApi({ quotaBytes: 100_000 })
  const { resources, service } = api
  resources.client.create(configMaps, configMap('a', 100_000))
  const owner = { ...ADMIN, uid: OWNER_UID }
  const maps = { apiVersion: 'v1', plural: 'configmaps', namespace: 'default' }
  const ownerObjects = createInProcessObjects(service, owner)
  await ownerObjects.create(maps, configMap('b', 1))
  await ownerObjects.patch({ ...maps, name: 'b' }, 'merge', { data: { y: '' } })
  resources.clientFor(owner, 'test').create(configMaps, configMap('c', 1))
  for (const user of [ADMIN, { ...owner, impersonator: ADMIN }]) {
    const userObjects = createInProcessObjects(service, user)
    await expect(userObjects.create(maps, configMap('d', 1))).rejects.toMatchObject(STORE_FULL)
    expect(() => resources.clientFor(user, 'test').create(configMaps, configMap('d', 1))).toThrow(
      STORE_FULL.message,
    )
  }
})

it('allows a burst and then a rate per user, and charges the impersonator', () => {
  const clock = createVirtualClock()
  const limiter = createWriteLimiter(clock)
  const countAccepted = (username: string, bytes: number, impersonator?: string): number => {
    const user = { username, groups: [] }
    for (let turn = 0; ; turn += 1)
      try {
        limiter.count(
          impersonator === undefined
            ? user
            : {
                ...user,
                username: `${username}${turn}`,
                impersonator: { username: impersonator, groups: [] },
              },
          bytes,
        )
      } catch (error) {
        expect(error).toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } })
        return turn
      }
  }
  expect(countAccepted('a', 1 << 20)).toBe(77)
  clock.advance(10_000)
  expect(countAccepted('a', 1 << 20)).toBe(8)
  expect(countAccepted('b', 0)).toBe(20_000)
  expect(countAccepted('invented', 1 << 20, 'c')).toBe(77)
})

it('charges a chunked body by the bytes that arrive', async () => {
  api = await createTestApi()
  const { send } = api
  const headers = { 'Content-Type': 'application/merge-patch+json', 'Transfer-Encoding': 'chunked' }
  const patchChunked = (body: Buffer) => send(`${MAPS}/a`, { method: 'PATCH', body, headers })
  await send(MAPS, { method: 'POST', body: configMap('a', 1) })
  const small = Buffer.from(JSON.stringify({ data: { y: 'y'.repeat(80) } }))
  for (let turn = 0; turn < 200; turn += 1) expect((await patchChunked(small)).code).toBe(200)
  const large = Buffer.from(`{}${' '.repeat(3_000_000)}`)
  let last: Awaited<ReturnType<TestApi['send']>> | undefined
  for (let turn = 0; turn < 60 && last?.code !== 429; turn += 1) last = await patchChunked(large)
  expect(last?.code).toBe(429)
  expect(last?.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
  expect((await send(MAPS)).code).toBe(200)
  expect(api.unexpected).toEqual([])
})

it('answers 429 above the limit, as a real server does', async () => {
  api = await createTestApi()
  let last: Awaited<ReturnType<TestApi['send']>> | undefined
  // A body with a rejected content type counts too, and is cheap to send.
  const headers = { 'Content-Type': 'text/plain' }
  const body = 'x'.repeat(3_000_000)
  for (let turn = 0; turn < 60 && last?.code !== 429; turn += 1)
    last = await api.send(`${MAPS}/big`, { method: 'PATCH', body, headers })
  expect(last?.code).toBe(429)
  expect(last?.headers['retry-after']).toBe('1')
  expect(last?.json).toMatchObject({ reason: 'TooManyRequests' })
  expect((await api.send(MAPS)).code).toBe(200)
})
