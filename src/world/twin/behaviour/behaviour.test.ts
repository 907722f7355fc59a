/** Tests steps, routes, access rules and limits without a protocol. */
import { describe, expect, it } from 'vitest'
import type { Endpoint, Step } from '#spec'
import { signToken } from '#world/expressions'
import { CallFailure } from '#world/twin/ports'
import { createRequest, createTestService, KEY, runSteps, sleep } from './testing/test-service.ts'

describe('steps', () => {
  it('run in order and under conditions; the result of a skipped step is null', async () => {
    const { response, calls } = await runSteps(
      [
        { call: 'a GET /one', as: 'one' },
        { call: 'a GET /two', when: 'one == 2', as: 'two' },
        { set: { sum: 'one + 1', more: 'sum * 2' } },
      ],
      '[one, two, sum, more]',
      () => 1,
    )
    expect(response.body).toEqual([1, null, 2, 4])
    expect(calls.map(({ target }) => target)).toEqual(['/one'])
  })

  it('repeat over lists in order or concurrently', async () => {
    const order: string[] = []
    const answer = async (target: string) => {
      order.push(`+${target}`)
      await sleep(target === '/1' ? 20 : 5)
      order.push(`-${target}`)
      return target
    }
    const each = { call: 'a GET /{n}', path: { n: 'it' }, each: '[1, 2]', as: 'all' }
    expect((await runSteps([each], 'all', answer)).response.body).toEqual(['/1', '/2'])
    expect(order.splice(0)).toEqual(['+/1', '-/1', '+/2', '-/2'])
    expect((await runSteps([{ ...each, together: true }], 'all', answer)).response.body).toEqual(['/1', '/2'])
    expect(order).toEqual(['+/1', '+/2', '-/2', '-/1'])
  })

  it('wait for the given time', async () => {
    const startedAt = performance.now()
    await runSteps([{ wait: '30' }], '1')
    expect(performance.now() - startedAt).toBeGreaterThan(25)
  })

  it('return the declared failure to the caller and log the cause', async () => {
    const refuse = () => {
      throw new CallFailure('refused', 'connect ECONNREFUSED')
    }
    const step: Step = { call: 'a GET /one', failure: { status: '503', message: '"no " + "storage"' } }
    const { response, lines } = await runSteps([step], '1', refuse)
    expect(response).toMatchObject({ status: 503, body: { error: 'no storage' } })
    expect(lines.join()).toContain('ECONNREFUSED')
  })

  it('skip elements for which the condition does not hold', async () => {
    const step: Step = { set: { seen: 'it' }, each: '[1, 2, 3]', when: 'it != 2', as: 'all' }
    expect((await runSteps([step], '[all, seen]')).response.body).toEqual([[1, 3], 3])
  })

  it('accumulate variables over repetitions', async () => {
    const steps: Step[] = [
      { set: { total: '0' } },
      { do: [{ set: { total: 'total + it' } }], each: 'range(4)' },
    ]
    expect((await runSteps(steps, 'total')).response.body).toBe(6)
  })

  it('run in parallel, and fail when all have ended', async () => {
    const ended: string[] = []
    const answer = async (target: string) => {
      if (target === '/bad') throw new CallFailure('refused', 'no route')
      await sleep(15)
      ended.push(target)
      return target
    }
    const parallel: Step = { parallel: [{ call: 'a GET /bad' }, { call: 'a GET /good', as: 'good' }] }
    const { response } = await runSteps([parallel], 'good', answer)
    expect(response).toEqual({ status: 500, body: { error: 'GET /bad of a failed: no route' } })
    expect(ended).toEqual(['/good'])
  })

  it('end the run with a response or a failure', async () => {
    const early: Step = { return: '{"status": 0}', status: '202', when: 'true' }
    expect((await runSteps([early, { call: 'a GET /' }], '1')).response).toEqual({
      status: 202,
      body: { status: 0 },
    })
    const failed = await runSteps([{ fail: '"no such order"', status: '404' }], '1')
    expect(failed.response).toEqual({ status: 404, body: { error: 'no such order' } })
    expect(failed.spans.find(({ kind }) => kind === 'server')!.status).toBe('ok')
    const inEach = await runSteps([{ return: 'it', when: 'it > 1', each: '[1, 2, 3]' }], '1')
    expect(inEach.response.body).toBe(2)
  })

  it('retry calls without a response, and no others', async () => {
    let failuresLeft = 2
    const failWith = (kind: 'timeout' | 'answer') => () => {
      failuresLeft -= 1
      if (failuresLeft >= 0) throw new CallFailure(kind, 'no route')
      return 'at last'
    }
    const behaviour = { endpoints: { 'GET /': { steps: [{ call: 'a GET /', as: 'said' }], reply: 'said' } } }
    const retryOf = () => ({ attempts: 3, backoffMs: 1 })
    const retrying = createTestService(behaviour, failWith('timeout'), { retryOf })
    expect(await retrying.behaviour.handle(createRequest())).toMatchObject({ status: 200, body: 'at last' })
    expect(retrying.calls).toHaveLength(3)
    expect(retrying.spans.filter(({ status }) => status === 'error')).toHaveLength(2)
    failuresLeft = 9
    const refused = createTestService(behaviour, failWith('answer'), { retryOf })
    expect(await refused.behaviour.handle(createRequest())).toMatchObject({ status: 500 })
    expect(refused.calls).toHaveLength(1)
  })

  it('do not tolerate errors in expressions, even if they are not critical', async () => {
    const { response } = await runSteps([{ call: 'a GET /', send: 'request.nothing', critical: false }], '1')
    expect(response.status).toBe(500)
    expect(JSON.stringify(response.body)).toContain('nothing')
  })

  it('send commands to stores, and messages with a trace', async () => {
    const { commands, spans } = await runSteps(
      [
        { query: 'db', sql: 'SELECT * FROM orders WHERE id = ?', with: ['7'] },
        { query: 'cache', redis: ['"set"', '"k"', '{"a": 1}'] },
        { query: 'docs', mongo: '{"find": "users", "filter": {}}' },
        { query: 'broker', publish: { queue: 'mail', message: '{"to": "me"}' } },
      ],
      'null',
    )
    expect(commands.slice(0, 3)).toEqual([
      { sql: { statement: 'SELECT * FROM orders WHERE id = ?', parameters: [7] } },
      { redis: ['set', 'k', '{"a":1}'] },
      { mongo: { find: 'users', filter: {} } },
    ])
    expect(spans.slice(0, 4).map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'client SELECT orders',
      'client SET',
      'client find users',
      'producer publish mail',
    ])
    const { headers, message } = commands[3]!.publish!
    expect(message).toEqual({ to: 'me' })
    expect(headers.traceparent).toContain(spans[3]!.spanId)
  })

  it('store values in memory, and evict the least recently used', async () => {
    const memoryStep = (...words: string[]): Step => ({
      query: 'memory',
      memory: words,
      as: words.at(-1)!.replaceAll('"', ''),
    })
    const steps = [
      memoryStep('"set"', '"a"', '1'),
      memoryStep('"set"', '"b"', '2'),
      memoryStep('"get"', '"a"'),
      memoryStep('"set"', '"c"', '3'),
      memoryStep('"get"', '"b"'),
      memoryStep('"all"'),
    ]
    const service = createTestService(
      { endpoints: { 'GET /': { steps, reply: '[a, b, all]' } } },
      undefined,
      {
        memorySize: 2,
      },
    )
    expect((await service.behaviour.handle(createRequest())).body).toEqual([1, null, [1, 3]])
    expect(service.spans).toHaveLength(1)
  })
})

describe('requests', () => {
  const createEndpoints = (names: readonly string[]): Record<string, Endpoint> =>
    Object.fromEntries(names.map((name) => [name, { reply: `["${name}", request.params]` }]))

  it('reach the most specific endpoint', async () => {
    const { behaviour } = createTestService({
      endpoints: createEndpoints([
        'ANY /{rest...}',
        'GET /orders/{id}',
        'GET /orders/new',
        'POST /orders/{id}',
        'GET /orders',
      ]),
    })
    const getBody = async (method: string, path: string) =>
      (await behaviour.handle(createRequest(path, { method }))).body
    expect(await getBody('GET', '/orders/new')).toEqual(['GET /orders/new', {}])
    expect(await getBody('GET', '/orders/a%20b')).toEqual(['GET /orders/{id}', { id: 'a b' }])
    expect(await getBody('HEAD', '/orders/')).toEqual(['GET /orders', {}])
    expect(await getBody('DELETE', '/orders/7')).toEqual(['ANY /{rest...}', { rest: 'orders/7' }])
  })

  it('are refused without a matching endpoint', async () => {
    const { behaviour } = createTestService({ endpoints: createEndpoints(['GET /a']) })
    expect((await behaviour.handle(createRequest('/b'))).status).toBe(404)
    expect((await behaviour.handle(createRequest('/a', { method: 'POST' }))).status).toBe(405)
    const rpc = await behaviour.handle(createRequest('Missing', { method: 'RPC' }))
    expect(rpc).toEqual({ status: 12, body: 'unknown method Missing' })
  })

  it('expose cookies, claims and the environment to expressions', async () => {
    const { behaviour } = createTestService({
      endpoints: { 'GET /': { reply: '[request.cookies.a, claims.id, env.MODE, state]' } },
    })
    const authorization = `Bearer ${signToken({ id: 'me' }, KEY)}`
    const { body } = await behaviour.handle(
      createRequest('/', { headers: { cookie: 'a=1%202; b', authorization } }),
    )
    expect(body).toEqual(['1 2', 'me', 'test', {}])
  })

  it('need the token that the first matching access rule requires', async () => {
    const { behaviour } = createTestService({
      endpoints: { ...createEndpoints(['GET /open/x', 'GET /own', 'GET /admin/users/1', 'POST /own']) },
      access: [
        { path: '/open/**', allow: 'anyone' },
        { path: '/admin/*/1', allow: ['ROLE_ADMIN'] },
        { method: 'GET', path: '/**', allow: 'authenticated' },
      ],
    })
    const statusOf = async (path: string, claims?: object, method = 'GET') => {
      const headers = claims === undefined ? {} : { authorization: `Bearer ${signToken({ ...claims }, KEY)}` }
      const authorised = createRequest(path, { headers: headers as Record<string, string>, method })
      return (await behaviour.handle(authorised)).status
    }
    expect(await statusOf('/open/x')).toBe(200)
    expect([await statusOf('/own'), await statusOf('/own', {})]).toEqual([401, 200])
    expect(await statusOf('/admin/users/1', { roles: ['ROLE_USER'] })).toBe(403)
    expect(await statusOf('/admin/users/1', { roles: ['ROLE_ADMIN'] })).toBe(200)
    expect(await statusOf('/own', undefined, 'POST')).toBe(200)
    const forged = { authorization: `Bearer ${signToken({ roles: ['ROLE_ADMIN'] }, 'other')}` }
    expect((await behaviour.handle(createRequest('/admin/users/1', { headers: forged }))).status).toBe(401)
    const expired = { authorization: `Bearer ${signToken({ exp: 1 }, KEY)}` }
    expect((await behaviour.handle(createRequest('/own', { headers: expired }))).status).toBe(401)
  })

  it('are refused with a token older than the maximum age, even if it has not expired', async () => {
    const iat = Date.now() / 1000 - 60
    const authorization = `Bearer ${signToken({ iat, exp: iat + 3600 }, KEY)}`
    const behaviour = { access: [{ path: '/', allow: 'authenticated' as const }], endpoints: { 'GET /': {} } }
    const requestWithMaxAge = (tokenMaxAge: number) =>
      createTestService(behaviour, undefined, { tokenMaxAge }).behaviour.handle(
        createRequest('/', { headers: { authorization } }),
      )
    expect(await requestWithMaxAge(120)).toMatchObject({ status: 200 })
    expect(await requestWithMaxAge(1)).toMatchObject({ status: 401 })
  })

  it('are limited in concurrency and rate', async () => {
    let active = 0
    let maxActive = 0
    const answer = async () => {
      active += 1
      maxActive = Math.max(maxActive, active)
      await sleep(5)
      active -= 1
    }
    const endpoints = { 'GET /': { steps: [{ call: 'a GET /' }] }, 'GET /few': { limit: 2, reply: '1' } }
    const { behaviour } = createTestService({ endpoints }, answer, { concurrency: 2 })
    await Promise.all([1, 2, 3, 4, 5].map(() => behaviour.handle(createRequest())))
    expect(maxActive).toBe(2)
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await behaviour.handle(createRequest('/few'))).status),
    )
    expect(statuses).toEqual([200, 200, 429])
  })

  it('take the CPU time that the endpoint declares', async () => {
    const { behaviour } = createTestService({
      endpoints: { 'GET /': { work: { cpuMs: 30, memoryKiB: 64 }, reply: '1' } },
    })
    const before = process.threadCpuUsage()
    await behaviour.handle(createRequest())
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeGreaterThanOrEqual(30)
  })

  it('are answered with RPC statuses', async () => {
    const { behaviour } = createTestService({
      protocol: 'grpc',
      rpc: 'p.S',
      endpoints: {
        Get: { reply: 'request.body' },
        Break: { steps: [{ fail: '"bad"' }] },
        Say: { steps: [{ fail: '"no"', status: '5' }] },
      },
    })
    const call = (path: string) => behaviour.handle(createRequest(path, { method: 'RPC', body: { a: 1 } }))
    expect(await call('Get')).toEqual({ status: 0, body: { a: 1 } })
    expect(await call('Break')).toEqual({ status: 13, body: 'bad' })
    expect(await call('Say')).toEqual({ status: 5, body: 'no' })
  })

  it('are logged at start and end, and fail with an error page, if the service declares both', async () => {
    const { behaviour, lines, fields } = createTestService(
      {
        logFormat: 'go-json',
        accessLog: { session: 'get(request.cookies, "id", "")' },
        failurePage: '"<p>" + string(status) + " " + error + "</p>"',
        endpoints: {
          'GET /': {
            steps: [
              { call: 'a GET /ads', critical: false, failure: { message: '"no ads: " + error' } },
              { call: 'a GET /cart', failure: { message: '"could not retrieve cart: " + error' } },
            ],
          },
        },
      },
      () => {
        throw new CallFailure('refused', 'no route')
      },
    )
    const response = await behaviour.handle(createRequest('/', { headers: { cookie: 'id=7' } }))
    const error = 'could not retrieve cart: GET /cart of a failed: no route'
    expect(response).toMatchObject({ status: 500, body: `<p>500 ${error}</p>` })
    expect(response.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' })
    expect(lines).toEqual([
      'debug request started',
      'warn no ads: GET /ads of a failed: no route',
      'error request error',
      'debug request complete',
    ])
    const expected = { session: '7', 'http.req.path': '/', 'http.req.method': 'GET' }
    expect(fields[0]).toMatchObject(expected)
    expect(fields[2]).toMatchObject({ ...expected, error })
    expect(fields[3]).toMatchObject({ ...expected, 'http.resp.status': 500 })
  })
})

describe('messages', () => {
  it('are handled in the trace of the sender, and rejected on failure', async () => {
    const service = createTestService({
      consumes: {
        mail: {
          from: 'broker',
          steps: [
            { call: 'a POST /', send: 'message', when: 'message.ok' },
            { fail: '"bad"', when: '!message.ok' },
          ],
        },
      },
    })
    const traceparent = '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01'
    await service.behaviour.consume('mail', { ok: true }, { traceparent })
    expect(service.calls[0]!.body).toEqual({ ok: true })
    expect(service.spans.at(-1)).toMatchObject({
      kind: 'consumer',
      parentId: '0123456789abcdef',
      status: 'ok',
    })
    await expect(service.behaviour.consume('mail', { ok: false }, {})).rejects.toThrow('bad')
    expect(service.lines).toEqual(['error bad'])
  })
})
