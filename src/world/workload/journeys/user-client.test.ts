/** Tests the client against a real server and a simulated one: connections, cookies, redirects, timeouts and broken responses. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRealClock, createVirtualClock, preciseNow, runVirtually } from '#kit'
import { createSimulatedShop } from '../testing/simulated-shop.ts'
import { openTestShop, type TestShop } from '../testing/test-shop.ts'
import { createCookies } from './cookies.ts'
import { MAX_TEXT_BYTES } from './exchange.ts'
import { createSimulatedUserClient } from './simulated-user-client.ts'
import { createUserClient, type UserClient } from './user-client.ts'
import type { UserRequest } from './user-request.ts'

/** A client of the shop, over sockets or over messages. */
interface Setup {
  readonly shop: Omit<TestShop, 'close'>
  createClient(connections?: number): UserClient
  /** Lets time pass until the work has ended. */
  run<T>(work: () => Promise<T>): Promise<T>
}

const withSockets = async (): Promise<Setup> => {
  const shop = await openTestShop()
  onTestFinished(() => shop.close())
  const clock = createRealClock({ keepsAlive: true })
  return { shop, createClient: (connections) => createUserClient(clock, connections), run: (work) => work() }
}

const withMessages = async (): Promise<Setup> => {
  const clock = createVirtualClock()
  const shop = createSimulatedShop(clock)
  return {
    shop,
    createClient: (connections) => createSimulatedUserClient({ ...shop, clock, connections }),
    run: (work) => runVirtually(clock, work),
  }
}

const open = async (createSetup: () => Promise<Setup>) => {
  const { shop, createClient, run } = await createSetup()
  const client = createClient()
  onTestFinished(() => client.close())
  const toRequest = (request: Partial<UserRequest>): UserRequest => ({
    method: 'GET',
    origin: shop.origin,
    target: '/ok',
    headers: {},
    cookies: createCookies(preciseNow),
    follow: true,
    timeoutMs: 5000,
    ...request,
  })
  return {
    shop,
    createClient,
    run,
    toRequest,
    send: (request: Partial<UserRequest>) => run(() => client.send(toRequest(request))),
  }
}

describe.each([
  ['over sockets', withSockets],
  ['over messages', withMessages],
])('the user client %s', (_, createSetup) => {
  it('reuses a connection', async () => {
    const { shop, send } = await open(createSetup)
    await send({})
    const connectionsBefore = shop.connections()
    for (let turn = 0; turn < 5; turn += 1)
      expect(await send({})).toMatchObject({ status: 200, text: 'fine' })
    expect(shop.connections()).toBe(connectionsBefore)
    await send({ target: '/ok?last' })
    await send({})
    expect(shop.connections()).toBe(connectionsBefore + 1)
  })

  it('truncates long bodies', async () => {
    const { send } = await open(createSetup)
    expect((await send({})).isTruncated).toBe(false)
    const { text, isTruncated } = await send({ target: '/huge' })
    expect([text.length, isTruncated]).toEqual([MAX_TEXT_BYTES, true])
  })

  it('follows redirects as browsers do, with the cookies that they set', async () => {
    const { shop, send } = await open(createSetup)
    const cookies = createCookies(preciseNow)
    cookies.store(shop.origin, ['old=1', 'gone=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'invalid'])
    cookies.store(shop.origin, ['elsewhere=1; Path=/elsewhere'])
    const answer = await send({
      method: 'POST',
      target: '/login',
      body: 'ann',
      cookies,
      headers: { 'content-type': 'text/plain' },
    })
    expect(answer).toMatchObject({ status: 200, text: 'hello session=ann' })
    expect(shop.requests.at(-1)!.headers['content-type']).toBeUndefined()
    expect(await send({ method: 'POST', target: '/login', body: 'ann', follow: false })).toMatchObject({
      status: 302,
    })
    expect(await send({ target: '/away' })).toMatchObject({ status: 302, text: 'away' })
    await expect(send({ target: '/around' })).rejects.toMatchObject({
      kind: 'connection',
      message: 'more than 10 redirects',
    })
  })

  it('rejects after its timeout, and if there is no complete response', async () => {
    const { shop, send } = await open(createSetup)
    await expect(send({ target: '/silent', timeoutMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
      message: 'no answer within 50 ms',
    })
    await expect(send({ target: '/cut' })).rejects.toMatchObject({ kind: 'connection' })
    await expect(send({ origin: 'http://127.0.0.1:1' })).rejects.toMatchObject({ kind: 'connection' })
    expect(shop.requests.map(({ line }) => line)).toEqual(['GET /silent', 'GET /cut'])
  })

  it('waits for a free connection, and times out while it waits', async () => {
    const { shop, createClient, run, toRequest } = await open(createSetup)
    const single = createClient(1)
    const pending = single.send(toRequest({ target: '/silent', timeoutMs: 60_000 }))
    const waiting = single.send(toRequest({ target: '/ok?waits', timeoutMs: 50 }))
    await expect(run(() => waiting)).rejects.toMatchObject({ kind: 'timeout' })
    expect(shop.connections()).toBeLessThanOrEqual(1)
    expect(shop.requests.some(({ line }) => line.includes('waits'))).toBe(false)
    single.close()
    await expect(run(() => pending)).rejects.toMatchObject({ kind: 'connection' })
  })

  it('rejects an unrequested upgrade', async () => {
    const { send } = await open(createSetup)
    await expect(send({ target: '/upgrade', timeoutMs: 60_000 })).rejects.toMatchObject({
      kind: 'connection',
    })
  })

  it('escapes characters that are not allowed in a request line', async () => {
    const { shop, send } = await open(createSetup)
    await send({ target: '/find?q=Shang Hai é' })
    expect(shop.requests.at(-1)!.line).toBe('GET /find?q=Shang%20Hai%20%C3%A9')
  })
})
