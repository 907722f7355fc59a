/** Tests twins that call each other over real sockets: responses, failures, traces, metrics, bad releases. */
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '#spec'
import { createTestTwins, type TestTwins, type TwinUnderTest } from './testing/create-test-twins.ts'

let testTwins: TestTwins
beforeEach(async () => {
  testTwins = await createTestTwins()
})
afterEach(() => testTwins.close())

const request = async ({ port }: TwinUnderTest, path: string, init: RequestInit = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
}

const TIME: Behaviour = {
  protocol: 'http',
  endpoints: {
    'GET /time': { reply: '{"now": 7, "zone": get(request.query, "zone", "UTC")}' },
    'GET /broken': { steps: [{ fail: '"no time left"' }] },
    'POST /echo/{id}': {
      reply:
        '{"id": request.params.id, "body": request.body, "token": get(request.headers, "authorization", "")}',
    },
  },
}

const BACK = { address: 'env.BACK_ADDR' }

const findFreePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('twins', () => {
  it('combine the responses of upstreams, in one trace', async () => {
    await testTwins.start('back', TIME)
    const front = await testTwins.start('front', {
      protocol: 'http',
      upstreams: { back: BACK },
      endpoints: {
        'GET /hello/{name}': {
          steps: [
            { call: 'back GET /time?zone={zone}', path: { zone: '"a b"' }, as: 'time' },
            {
              call: 'back POST /echo/{id}',
              path: { id: 'request.params.name + "/x"' },
              send: '{"a": 1}',
              forward: ['Authorization'],
              as: 'echo',
            },
          ],
          reply: '{"time": time, "echo": echo}',
          headers: { 'X-Name': 'request.params.name' },
        },
      },
    })
    const traceparent = '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01'
    const { status, body, headers } = await request(front, '/hello/joe', {
      headers: { authorization: 'me', traceparent },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      time: { now: 7, zone: 'a b' },
      echo: { id: 'joe/x', body: { a: 1 }, token: 'me' },
    })
    expect(headers.get('x-name')).toBe('joe')
    await expect.poll(() => testTwins.spans.length).toBe(5)
    const { spans } = testTwins
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(
      new Set(['0123456789abcdef0123456789abcdef']),
    )
    const root = spans.find(({ name }) => name === 'GET /hello/{name}')!
    expect(root).toMatchObject({
      kind: 'server',
      parentId: '0123456789abcdef',
      service: 'front',
      pod: 'front-0',
    })
    const calls = spans.filter(({ kind }) => kind === 'client')
    expect(calls.map(({ peer, parentId }) => [peer, parentId])).toEqual([
      ['back', root.spanId],
      ['back', root.spanId],
    ])
    const served = spans.filter(({ service }) => service === 'back')
    expect(new Set(served.map(({ parentId }) => parentId))).toEqual(
      new Set(calls.map(({ spanId }) => spanId)),
    )
  })

  it('fail if a critical call fails, and tolerate other failures', async () => {
    await testTwins.start('back', TIME)
    const front = await testTwins.start('front', {
      protocol: 'http',
      logFormat: 'spring',
      upstreams: { back: BACK, gone: { address: '"127.0.0.1:1"' } },
      endpoints: {
        'GET /fatal': { steps: [{ call: 'back GET /broken' }], reply: '"unreached"' },
        'GET /tolerant': {
          steps: [
            { call: 'back GET /broken', critical: false, as: 'first' },
            { call: 'gone GET /', critical: false, as: 'second' },
          ],
          reply: '[first, second]',
        },
      },
    })
    const fatal = await request(front, '/fatal')
    expect(fatal.body).toMatchObject({ status: 500, error: 'Internal Server Error', path: '/fatal' })
    expect(fatal.body.message).toContain('HttpServerErrorException: 500')
    expect(fatal.body.timestamp).toMatch(/^\d{4}-.*\+0000$/)
    expect(front.lines.at(-1)).toMatch(/ERROR 1 --- .*no time left/)
    const tolerant = await request(front, '/tolerant')
    expect([tolerant.status, tolerant.body]).toEqual([200, [null, null]])
    expect(front.lines.at(-1)).toMatch(/ WARN 1 --- .*Connection refused/)
    await expect.poll(() => testTwins.spans.filter(({ status }) => status === 'error').length).toBe(6)
    const metrics = (await request(front, '/metrics')).body
    expect(metrics).toContain('requests_served_total{endpoint="GET /fatal",status="500"} 1')
    expect(metrics).toContain('calls_total{peer="gone",operation="GET /",outcome="refused"} 1')
    expect(metrics).toContain('calls_total{peer="back",operation="GET /broken",outcome="answer"} 2')
  })

  it('time out after the time that the step or the upstream declares', async () => {
    await testTwins.start('back', {
      protocol: 'http',
      endpoints: { 'GET /': { reply: '1' } },
      defects: [{ kind: 'slow', ms: 400 }],
    })
    const front = await testTwins.start(
      'front',
      {
        protocol: 'http',
        upstreams: { back: { ...BACK, timeout: 'int(env.TIMEOUT_MS)' } },
        endpoints: {
          'GET /short': { steps: [{ call: 'back GET /' }] },
          'GET /long': { steps: [{ call: 'back GET /', timeout: '5000', as: 'one' }], reply: 'one' },
        },
      },
      { TIMEOUT_MS: '30' },
    )
    expect((await request(front, '/short')).body.error).toContain('no answer within 30 ms')
    expect((await request(front, '/long')).body).toBe(1)
  })

  it('forward requests unchanged', async () => {
    await testTwins.start('back', TIME)
    const gateway = await testTwins.start('gateway', {
      protocol: 'http',
      upstreams: { back: BACK },
      endpoints: { 'ANY /{rest...}': { steps: [{ proxy: 'back' }] } },
    })
    const sent = await request(gateway, '/echo/7', {
      method: 'POST',
      body: '{"a":[1]}',
      headers: { 'content-type': 'application/json', authorization: 'me' },
    })
    expect(sent.body).toEqual({ id: '7', body: { a: [1] }, token: 'me' })
    expect((await request(gateway, '/nowhere')).status).toBe(404)
    expect((await request(gateway, '/broken')).body).toEqual({ error: 'no time left' })
    await expect.poll(() => testTwins.spans.length).toBe(9)
    const edges = testTwins.spans
      .filter(({ kind }) => kind === 'client')
      .map(({ service, peer }) => `${service}->${peer}`)
    expect(new Set(edges)).toEqual(new Set(['gateway->back']))
  })

  it('call each other over gRPC', async () => {
    await testTwins.start('cart', {
      protocol: 'grpc',
      rpc: 'shop.Cart',
      endpoints: {
        GetCart: { reply: '{"items": [request.body.user]}' },
        Empty: { steps: [{ fail: '"locked"', status: '9' }] },
      },
    })
    const front = await testTwins.start('front', {
      protocol: 'http',
      logFormat: 'go-json',
      upstreams: { cart: { address: 'env.CART_ADDR' } },
      endpoints: {
        'GET /cart': {
          steps: [{ call: 'cart GetCart', send: '{"user": "joe"}', as: 'cart' }],
          reply: 'cart',
        },
        'GET /empty': { steps: [{ call: 'cart Empty', send: '{}' }] },
      },
    })
    expect((await request(front, '/cart')).body).toEqual({ items: ['joe'] })
    const failed = await request(front, '/empty')
    expect([failed.status, failed.body.error]).toEqual([
      500,
      expect.stringContaining('code = FailedPrecondition desc = locked'),
    ])
    await expect.poll(() => testTwins.spans.map(({ name }) => name)).toContain('shop.Cart/Empty')
  })

  it('read and write a store', async () => {
    await testTwins.start('redis', { protocol: 'redis' })
    const front = await testTwins.start('front', {
      protocol: 'http',
      upstreams: { redis: { address: 'env.REDIS_ADDR' } },
      endpoints: {
        'PUT /{key}': {
          steps: [{ query: 'redis', redis: ['"SET"', 'request.params.key', 'toJson(request.body)'] }],
          reply: 'true',
        },
        'GET /{key}': {
          steps: [{ query: 'redis', redis: ['"GET"', 'request.params.key'], as: 'found' }],
          reply: 'found == null ? null : parseJson(found)',
        },
      },
    })
    await request(front, '/a', {
      method: 'PUT',
      body: '{"x":1}',
      headers: { 'content-type': 'application/json' },
    })
    expect((await request(front, '/a')).body).toEqual({ x: 1 })
    expect((await request(front, '/b')).body).toBe(null)
    await expect
      .poll(() => testTwins.spans.filter(({ peer }) => peer === 'redis').map(({ name }) => name))
      .toEqual(['SET', 'GET', 'GET'])
  })

  it('wait for a slow store', async () => {
    await testTwins.start('redis', { protocol: 'redis', defects: [{ kind: 'slow', ms: 120 }] })
    const front = await testTwins.start('front', {
      protocol: 'http',
      upstreams: { redis: { address: 'env.REDIS_ADDR' } },
      endpoints: {
        'GET /': {
          steps: [
            { query: 'redis', redis: ['"SET"', '"a"', '"1"'] },
            { query: 'redis', redis: ['"GET"', '"a"'], as: 'found' },
          ],
          reply: 'found',
        },
      },
    })
    const startedAt = performance.now()
    expect((await request(front, '/')).body).toBe('1')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(235)
  })

  it('run their start steps before they listen, and background work after', async () => {
    const back = await testTwins.start('back', TIME)
    const front = await testTwins.start('front', {
      protocol: 'http',
      upstreams: { back: BACK },
      start: [{ call: 'back GET /time', as: 'time' }, { set: { twice: 'time.now * 2' } }],
      every: { poll: { everyMs: 20, steps: [{ call: 'back GET /time' }] } },
      endpoints: { 'GET /': { reply: 'state.twice' } },
    })
    expect((await request(front, '/')).body).toBe(14)
    await expect
      .poll(async () =>
        Number(/requests_served_total\{.*\} (\d+)/.exec((await request(back, '/metrics')).body)?.[1]),
      )
      .toBeGreaterThan(3)
  })

  it('do not start without their variables, files and upstreams', async () => {
    const start = (behaviour: Partial<Behaviour>) =>
      testTwins.start('front', { protocol: 'http', endpoints: {}, ...behaviour })
    await expect(start({ required: ['CART_ADDR'] })).rejects.toThrow(
      'environment variable "CART_ADDR" not set',
    )
    await expect(start({ listen: 'int(env.NO_PORT)' })).rejects.toThrow('NO_PORT')
    await expect(
      start({ files: { main: { path: '/nowhere/config.json', format: 'json' } } }),
    ).rejects.toThrow('no such file')
    await expect(
      start({
        upstreams: { gone: { address: '"127.0.0.1:1"', protocol: 'http' } },
        start: [{ call: 'gone GET /' }],
        startTimeoutMs: 300,
      }),
    ).rejects.toThrow('ECONNREFUSED')
    await expect(start({ defects: [{ kind: 'crash' }] })).rejects.toThrow('unexpected null value')
  })

  it('write an access log in the format of nginx', async () => {
    const front = await testTwins.start('front', {
      protocol: 'http',
      logFormat: 'nginx',
      endpoints: { 'GET /{page}': { reply: '"hello"' } },
    })
    await request(front, '/a?b=1', { headers: { 'user-agent': 'a "browser"' } })
    expect(front.lines.at(-1)).toMatch(
      /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\S+ \+0000\] "GET \/a\?b=1 HTTP\/1\.1" 200 5 "-" "a \\x22browser\\x22"\n$/,
    )
  })

  it('stop listening if they cannot register', async () => {
    const port = await findFreePort()
    await expect(
      testTwins.start('cart', {
        protocol: 'grpc',
        listen: String(port),
        rpc: 'shop.Cart',
        endpoints: {},
        upstreams: { registry: { address: '"127.0.0.1:1"', protocol: 'consul' } },
        register: { in: 'registry' },
        startTimeoutMs: 200,
      }),
    ).rejects.toThrow('ECONNREFUSED')
    const restarted = await testTwins.start('cart', { protocol: 'http', listen: String(port), endpoints: {} })
    expect(restarted.port).toBe(port)
  })

  it('have the defects of their release', async () => {
    const endpoints = {
      'GET /a': { reply: '1' },
      'GET /healthz': { reply: '"ok"' },
      'GET /b': { reply: '2' },
    }
    const failing = await testTwins.start('failing', {
      protocol: 'http',
      endpoints,
      defects: [{ kind: 'failing-endpoint' }],
    })
    const statuses = await Promise.all(
      ['/a', '/healthz', '/b'].map(async (path) => (await request(failing, path)).status),
    )
    expect(statuses).toEqual([500, 200, 200])
    const slow = await testTwins.start('slow', {
      protocol: 'http',
      endpoints,
      defects: [{ kind: 'slow', ms: 150 }],
    })
    const startedAt = performance.now()
    await request(slow, '/healthz')
    await request(slow, '/b')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(145)
    const freePort = await findFreePort()
    const wrongPort = await testTwins.start('wrong', {
      protocol: 'http',
      listen: String(freePort - 1),
      endpoints,
      defects: [{ kind: 'wrong-port' }],
    })
    expect(wrongPort.port).toBe(freePort)
  })
})
