/** Tests the client against a real server: connections, cookies, redirects, timeouts and broken responses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealClock } from '#kit'
import { openTestShop, type TestShop } from '../testing/test-shop.ts'
import { createCookies } from './cookies.ts'
import { MAX_TEXT_BYTES } from './exchange.ts'
import { createUserClient } from './user-client.ts'
import type { UserRequest } from './user-request.ts'

let shop: TestShop
const client = createUserClient(createRealClock({ keepsAlive: true }))

beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(async () => {
  client.close()
  await shop.close()
})

const send = (request: Partial<UserRequest>) =>
  client.send({
    method: 'GET',
    origin: shop.origin,
    target: '/ok',
    headers: {},
    cookies: createCookies(),
    follow: true,
    timeoutMs: 5000,
    ...request,
  })

describe('the user client', () => {
  it('reuses a connection', async () => {
    await send({})
    const connectionsBefore = shop.connections()
    for (let turn = 0; turn < 5; turn += 1)
      expect(await send({})).toMatchObject({ status: 200, text: 'fine' })
    expect(shop.connections()).toBe(connectionsBefore)
  })

  it('truncates long bodies', async () => {
    expect((await send({})).isTruncated).toBe(false)
    const answers = await Promise.all(Array.from({ length: 5 }, () => send({ target: '/huge' })))
    for (const { text, isTruncated } of answers)
      expect([text.length, isTruncated]).toEqual([MAX_TEXT_BYTES, true])
  })

  it('follows redirects as browsers do, with the cookies that they set', async () => {
    const cookies = createCookies()
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
    await expect(send({ target: '/silent', timeoutMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
      message: 'no answer within 50 ms',
    })
    await expect(send({ target: '/cut' })).rejects.toMatchObject({ kind: 'connection' })
    await expect(send({ origin: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      kind: 'connection',
      message: 'ECONNREFUSED',
    })
  })

  it('waits for a free connection, and times out while it waits', async () => {
    const single = createUserClient(createRealClock({ keepsAlive: true }), 1)
    const request = { method: 'GET', origin: shop.origin, headers: {}, cookies: createCookies() }
    const connectionsBefore = shop.connections()
    const pending = single.send({ ...request, target: '/silent', follow: true, timeoutMs: 60_000 })
    const waiting = single.send({ ...request, target: '/ok?waits', follow: true, timeoutMs: 50 })
    await expect(waiting).rejects.toMatchObject({ kind: 'timeout' })
    expect(shop.connections() - connectionsBefore).toBeLessThanOrEqual(1)
    expect(shop.requests.some(({ line }) => line.includes('waits'))).toBe(false)
    single.close()
    await expect(pending).rejects.toMatchObject({ kind: 'connection' })
  })

  it('rejects an unrequested upgrade', async () => {
    await expect(send({ target: '/upgrade', timeoutMs: 60_000 })).rejects.toMatchObject({
      kind: 'connection',
    })
  })

  it('escapes characters that are not allowed in a request line', async () => {
    await send({ target: '/find?q=Shang Hai é' })
    expect(shop.requests.at(-1)!.line).toBe('GET /find?q=Shang%20Hai%20%C3%A9')
  })
})
