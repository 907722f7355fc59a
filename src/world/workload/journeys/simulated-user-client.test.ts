/** Tests how users of a simulated cluster keep, share and replace their connections. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually, sleep } from '#kit'
import { createSimulatedShop } from '../testing/simulated-shop.ts'
import { createCookies } from './cookies.ts'
import { createSimulatedUserClient } from './simulated-user-client.ts'
import type { UserRequest } from './user-request.ts'

const open = (connections?: number) => {
  const clock = createVirtualClock(0)
  const shop = createSimulatedShop(clock)
  const client = createSimulatedUserClient({ ...shop, clock, connections })
  const { origin } = shop
  const cookies = createCookies(clock.now)
  const send = (request: Partial<UserRequest> = {}) =>
    client.send({
      ...{ method: 'GET', origin, target: '/ok', headers: {}, cookies, follow: true, timeoutMs: 5000 },
      ...request,
    })
  return { clock, shop, client, cookies, send, run: <T>(work: () => Promise<T>) => runVirtually(clock, work) }
}

it('opens a connection for each concurrent request, and keeps one for at most a second', async () => {
  const { clock, shop, send, run } = open()
  await run(() => Promise.all([send(), send(), send()]))
  expect([shop.connections(), clock.now()]).toEqual([3, 6])
  await run(async () => {
    await sleep(clock, 900)
    await send()
    expect(shop.connections()).toBe(3)
    await sleep(clock, 200)
    // Still free, so it is used once more, and then closed because of its age.
    await send()
    expect(shop.connections()).toBe(3)
    await Promise.all([send(), send(), send()])
  })
  expect(shop.connections()).toBe(4)
})

it('gives a free connection to the request that has waited the longest', async () => {
  const { clock, shop, send, run } = open(1)
  const order: string[] = []
  const note = async (target: string): Promise<void> => {
    await send({ target })
    order.push(`${target} ${clock.now()}`)
  }
  await run(() => Promise.all(['/ok', '/ok?b', '/ok?c'].map(note)))
  expect(order).toEqual(['/ok 6', '/ok?b 11', '/ok?c 16'])
  expect(shop.connections()).toBe(1)
})

it('lets the next request open a connection if the previous one was refused', async () => {
  const { shop, send, run } = open(1)
  shop.refuses = true
  const answers = await run(() => Promise.allSettled([send(), send()]))
  const refusal = { status: 'rejected', reason: { kind: 'connection', message: 'ECONNREFUSED' } }
  expect(answers).toMatchObject([refusal, refusal])
  shop.refuses = false
  expect(await run(() => send())).toMatchObject({ status: 200 })
})

it('repeats a request if the server closed the kept connection, but not one that may have had an effect', async () => {
  const { shop, send, run } = open()
  await run(() => send())
  shop.closeConnections()
  expect(await run(() => send({ method: 'POST', target: '/login', follow: false }))).toMatchObject({
    status: 302,
  })
  expect(shop.connections()).toBe(2)
  const closeDuring = async (request: Partial<UserRequest>) => {
    const sent = send(request)
    await Promise.resolve()
    shop.closeConnections()
    return sent
  }
  expect(await run(() => closeDuring({ target: '/ok?again' }))).toMatchObject({ status: 404 })
  expect(shop.requests.filter(({ line }) => line.includes('again'))).toHaveLength(2)
  await expect(run(() => closeDuring({ method: 'POST', target: '/echo' }))).rejects.toMatchObject({
    kind: 'connection',
    message: 'ECONNRESET',
  })
})

it('rejects all requests after it was closed, and opens no connection', async () => {
  const { shop, client, send, run } = open()
  const pending = send({ target: '/silent' })
  await run(() => send())
  client.close()
  await expect(run(() => pending)).rejects.toMatchObject({ kind: 'connection' })
  await expect(run(() => send())).rejects.toMatchObject({ message: 'the client was closed' })
  expect(shop.connections()).toBe(2)
})

it('extends a cookie that a service sets again, and replaces its value', () => {
  const { clock, shop, cookies } = open()
  const url = `${shop.origin}/x`
  for (const header of ['a=1; Max-Age=2', 'b=1; Max-Age=2']) cookies.store(shop.origin, [header])
  clock.advance(1500)
  cookies.store(shop.origin, ['a=1; Max-Age=2'])
  clock.advance(1000)
  expect(cookies.headerFor(url)).toBe('a=1')
  cookies.store(shop.origin, ['a=2; Max-Age=2'])
  expect(cookies.headerFor(url)).toBe('a=2')
  cookies.store(shop.origin, ['a=1; Max-Age=2'])
  expect(cookies.headerFor(url)).toBe('a=1')
})

it('drops cookies by the clock of the cluster', async () => {
  const { clock, shop, cookies } = open()
  cookies.store(shop.origin, [
    'short=1; Max-Age=10',
    'dated=1; Expires=Thu, 01 Jan 1970 00:01:00 GMT',
    'long=1',
  ])
  expect(cookies.headerFor(`${shop.origin}/x`)).toBe('short=1; dated=1; long=1')
  clock.advance(20_000)
  expect(cookies.headerFor(`${shop.origin}/x`)).toBe('dated=1; long=1')
  clock.advance(60_000)
  expect(cookies.headerFor(`${shop.origin}/x`)).toBe('long=1')
})
