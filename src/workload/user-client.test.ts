/** The client against a real server: connections, cookies, redirects, patience and broken answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealClock } from '../kit/index.ts'
import { createCookies } from './cookies.ts'
import { type LittleShop, openLittleShop } from './testing/little-shop.ts'
import { createUserClient, type UserRequest } from './user-client.ts'

let shop: LittleShop
const client = createUserClient(createRealClock({ keepsAlive: true }))

beforeAll(async () => {
  shop = await openLittleShop()
})
afterAll(async () => {
  client.close()
  await shop.close()
})

const ask = (request: Partial<UserRequest>) =>
  client.send({
    method: 'GET',
    origin: shop.origin,
    target: '/ok',
    headers: {},
    cookies: createCookies(() => 0),
    follow: true,
    timeoutMs: 5000,
    ...request,
  })

describe('the client of users', () => {
  it('uses a connection again', async () => {
    await ask({})
    const before = shop.connections()
    for (let turn = 0; turn < 5; turn += 1) expect(await ask({})).toMatchObject({ status: 200, text: 'fine' })
    expect(shop.connections()).toBe(before)
  })

  it('follows redirects as browsers do, with the cookies that came with them', async () => {
    const cookies = createCookies(() => 0)
    cookies.take(['old=1', 'gone=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])
    const answer = await ask({
      method: 'POST',
      target: '/login',
      body: 'ann',
      cookies,
      headers: { 'content-type': 'text/plain' },
    })
    expect(answer).toMatchObject({ status: 200, text: 'hello session=ann' })
    expect(shop.seen.at(-1)!.headers['content-type']).toBeUndefined()
    expect(await ask({ method: 'POST', target: '/login', body: 'ann', follow: false })).toMatchObject({
      status: 302,
    })
    expect(await ask({ target: '/away' })).toMatchObject({ status: 302, text: 'away' })
    await expect(ask({ target: '/around' })).rejects.toMatchObject({
      kind: 'connection',
      message: 'more than 10 redirects',
    })
  })

  it('gives up when its patience ends, and tells where no answer can be had', async () => {
    await expect(ask({ target: '/silent', timeoutMs: 50 })).rejects.toMatchObject({
      kind: 'timeout',
      message: 'no answer within 50 ms',
    })
    await expect(ask({ target: '/cut' })).rejects.toMatchObject({ kind: 'connection' })
    await expect(ask({ origin: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      kind: 'connection',
      message: 'ECONNREFUSED',
    })
  })

  it('waits for a connection where it may have no more, and its patience ends while it waits', async () => {
    const single = createUserClient(createRealClock({ keepsAlive: true }), 1)
    const request = { method: 'GET', origin: shop.origin, headers: {}, cookies: createCookies(() => 0) }
    const before = shop.connections()
    const held = single.send({ ...request, target: '/silent', follow: true, timeoutMs: 60_000 })
    const waiting = single.send({ ...request, target: '/ok?waits', follow: true, timeoutMs: 50 })
    await expect(waiting).rejects.toMatchObject({ kind: 'timeout' })
    expect(shop.connections() - before).toBeLessThanOrEqual(1)
    expect(shop.seen.some(({ line }) => line.includes('waits'))).toBe(false)
    single.close()
    await expect(held).rejects.toMatchObject({ kind: 'connection' })
  })

  it('does not wait for what comes after an upgrade that nobody asked for', async () => {
    await expect(ask({ target: '/upgrade', timeoutMs: 60_000 })).rejects.toMatchObject({ kind: 'connection' })
  })

  it('escapes what may not stand in a request line', async () => {
    await ask({ target: '/find?q=Shang Hai é' })
    expect(shop.seen.at(-1)!.line).toBe('GET /find?q=Shang%20Hai%20%C3%A9')
  })
})
