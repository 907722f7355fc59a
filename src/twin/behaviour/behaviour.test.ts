/** Proves what steps, routes, rules and bounds do, without a wire. */
import { describe, expect, it } from 'vitest'
import { signToken } from '../../expressions/index.ts'
import type { Endpoint, Step } from '../../spec/index.ts'
import { CallFailure } from '../ports/index.ts'
import { createScene, KEY, request, run, sleep } from './testing/scene.ts'

describe('steps', () => {
  it('are done in order, under conditions, with null for what was not done', async () => {
    const { answered, calls } = await run(
      [
        { call: 'a GET /one', as: 'one' },
        { call: 'a GET /two', when: 'one == 2', as: 'two' },
        { set: { sum: 'one + 1', more: 'sum * 2' } },
      ],
      '[one, two, sum, more]',
      () => 1,
    )
    expect(answered.body).toEqual([1, null, 2, 4])
    expect(calls.map(({ target }) => target)).toEqual(['/one'])
  })

  it('go through lists one after the other, or together', async () => {
    const order: string[] = []
    const answer = async (target: string) => {
      order.push(`+${target}`)
      await sleep(target === '/1' ? 20 : 5)
      order.push(`-${target}`)
      return target
    }
    const each = { call: 'a GET /{n}', path: { n: 'it' }, each: '[1, 2]', as: 'all' }
    expect((await run([each], 'all', answer)).answered.body).toEqual(['/1', '/2'])
    expect(order.splice(0)).toEqual(['+/1', '-/1', '+/2', '-/2'])
    expect((await run([{ ...each, together: true }], 'all', answer)).answered.body).toEqual(['/1', '/2'])
    expect(order).toEqual(['+/1', '+/2', '-/2', '-/1'])
  })

  it('wait as long as they say', async () => {
    const began = performance.now()
    await run([{ wait: '30' }], '1')
    expect(performance.now() - began).toBeGreaterThan(25)
  })

  it('that fail tell the caller what they were told to, and the log what happened', async () => {
    const refuse = () => {
      throw new CallFailure('refused', 'connect ECONNREFUSED')
    }
    const step: Step = { call: 'a GET /one', failure: { status: '503', message: '"no " + "storage"' } }
    const { answered, lines } = await run([step], '1', refuse)
    expect(answered).toMatchObject({ status: 503, body: { error: 'no storage' } })
    expect(lines.join()).toContain('ECONNREFUSED')
  })

  it('leave out elements for which the condition does not hold', async () => {
    const step: Step = { set: { seen: 'it' }, each: '[1, 2, 3]', when: 'it != 2', as: 'all' }
    expect((await run([step], '[all, seen]')).answered.body).toEqual([[1, 3], 3])
  })

  it('gather over turns what is set', async () => {
    const steps: Step[] = [
      { set: { total: '0' } },
      { do: [{ set: { total: 'total + it' } }], each: 'range(4)' },
    ]
    expect((await run(steps, 'total')).answered.body).toBe(6)
  })

  it('run side by side, and fail when all have ended', async () => {
    const ended: string[] = []
    const answer = async (target: string) => {
      if (target === '/bad') throw new CallFailure('refused', 'nobody there')
      await sleep(15)
      ended.push(target)
      return target
    }
    const parallel: Step = { parallel: [{ call: 'a GET /bad' }, { call: 'a GET /good', as: 'good' }] }
    const { answered } = await run([parallel], 'good', answer)
    expect(answered).toEqual({ status: 500, body: { error: 'GET /bad of a failed: nobody there' } })
    expect(ended).toEqual(['/good'])
  })

  it('end with an answer or a failure of their own', async () => {
    const early: Step = { return: '{"status": 0}', status: '202', when: 'true' }
    expect((await run([early, { call: 'a GET /' }], '1')).answered).toEqual({
      status: 202,
      body: { status: 0 },
    })
    const failed = await run([{ fail: '"no such order"', status: '404' }], '1')
    expect(failed.answered).toEqual({ status: 404, body: { error: 'no such order' } })
    expect(failed.spans.find(({ kind }) => kind === 'server')!.status).toBe('ok')
    const inEach = await run([{ return: 'it', when: 'it > 1', each: '[1, 2, 3]' }], '1')
    expect(inEach.answered.body).toBe(2)
  })

  it('call again those who do not answer, and not those who do', async () => {
    let left = 2
    const lost = (kind: 'timeout' | 'answer') => () => {
      left -= 1
      if (left >= 0) throw new CallFailure(kind, 'nobody is there')
      return 'at last'
    }
    const behaviour = { endpoints: { 'GET /': { steps: [{ call: 'a GET /', as: 'said' }], reply: 'said' } } }
    const retryOf = () => ({ attempts: 3, backoffMs: 1 })
    const patient = createScene(behaviour, lost('timeout'), { retryOf })
    expect(await patient.behaviour.handle(request())).toMatchObject({ status: 200, body: 'at last' })
    expect(patient.calls).toHaveLength(3)
    expect(patient.spans.filter(({ status }) => status === 'error')).toHaveLength(2)
    left = 9
    const refused = createScene(behaviour, lost('answer'), { retryOf })
    expect(await refused.behaviour.handle(request())).toMatchObject({ status: 500 })
    expect(refused.calls).toHaveLength(1)
  })

  it('never bear an expression that is wrong', async () => {
    const { answered } = await run([{ call: 'a GET /', send: 'request.nothing', critical: false }], '1')
    expect(answered.status).toBe(500)
    expect(JSON.stringify(answered.body)).toContain('nothing')
  })

  it('give stores their commands, and messages their trace', async () => {
    const { commands, spans } = await run(
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

  it('keep things in memory, and forget what was used longest ago', async () => {
    const memory = (...words: string[]): Step => ({
      query: 'memory',
      memory: words,
      as: words.at(-1)!.replaceAll('"', ''),
    })
    const steps = [
      memory('"set"', '"a"', '1'),
      memory('"set"', '"b"', '2'),
      memory('"get"', '"a"'),
      memory('"set"', '"c"', '3'),
      memory('"get"', '"b"'),
      memory('"all"'),
    ]
    const scene = createScene({ endpoints: { 'GET /': { steps, reply: '[a, b, all]' } } }, undefined, {
      memorySize: 2,
    })
    expect((await scene.behaviour.handle(request())).body).toEqual([1, null, [1, 3]])
    expect(scene.spans).toHaveLength(1)
  })
})

describe('requests', () => {
  const replies = (names: readonly string[]): Record<string, Endpoint> =>
    Object.fromEntries(names.map((name) => [name, { reply: `["${name}", request.params]` }]))

  it('find the most particular endpoint', async () => {
    const { behaviour } = createScene({
      endpoints: replies([
        'ANY /{rest...}',
        'GET /orders/{id}',
        'GET /orders/new',
        'POST /orders/{id}',
        'GET /orders',
      ]),
    })
    const find = async (method: string, path: string) =>
      (await behaviour.handle(request(path, { method }))).body
    expect(await find('GET', '/orders/new')).toEqual(['GET /orders/new', {}])
    expect(await find('GET', '/orders/a%20b')).toEqual(['GET /orders/{id}', { id: 'a b' }])
    expect(await find('HEAD', '/orders/')).toEqual(['GET /orders', {}])
    expect(await find('DELETE', '/orders/7')).toEqual(['ANY /{rest...}', { rest: 'orders/7' }])
  })

  it('are refused where nobody serves them', async () => {
    const { behaviour } = createScene({ endpoints: replies(['GET /a']) })
    expect((await behaviour.handle(request('/b'))).status).toBe(404)
    expect((await behaviour.handle(request('/a', { method: 'POST' }))).status).toBe(405)
    const rpc = await behaviour.handle(request('Missing', { method: 'RPC' }))
    expect(rpc).toEqual({ status: 12, body: 'unknown method Missing' })
  })

  it('see cookies, claims, environment', async () => {
    const { behaviour } = createScene({
      endpoints: { 'GET /': { reply: '[request.cookies.a, claims.id, env.MODE, state]' } },
    })
    const authorization = `Bearer ${signToken({ id: 'me' }, KEY)}`
    const { body } = await behaviour.handle(
      request('/', { headers: { cookie: 'a=1%202; b', authorization } }),
    )
    expect(body).toEqual(['1 2', 'me', 'test', {}])
  })

  it('need the token that the first rule for them says', async () => {
    const { behaviour } = createScene({
      endpoints: { ...replies(['GET /open/x', 'GET /own', 'GET /admin/users/1', 'POST /own']) },
      access: [
        { path: '/open/**', allow: 'anyone' },
        { path: '/admin/*/1', allow: ['ROLE_ADMIN'] },
        { method: 'GET', path: '/**', allow: 'authenticated' },
      ],
    })
    const statusOf = async (path: string, claims?: object, method = 'GET') => {
      const headers = claims === undefined ? {} : { authorization: `Bearer ${signToken({ ...claims }, KEY)}` }
      return (await behaviour.handle(request(path, { headers: headers as Record<string, string>, method })))
        .status
    }
    expect(await statusOf('/open/x')).toBe(200)
    expect([await statusOf('/own'), await statusOf('/own', {})]).toEqual([401, 200])
    expect(await statusOf('/admin/users/1', { roles: ['ROLE_USER'] })).toBe(403)
    expect(await statusOf('/admin/users/1', { roles: ['ROLE_ADMIN'] })).toBe(200)
    expect(await statusOf('/own', undefined, 'POST')).toBe(200)
    const forged = { authorization: `Bearer ${signToken({ roles: ['ROLE_ADMIN'] }, 'other')}` }
    expect((await behaviour.handle(request('/admin/users/1', { headers: forged }))).status).toBe(401)
    const expired = { authorization: `Bearer ${signToken({ exp: 1 }, KEY)}` }
    expect((await behaviour.handle(request('/own', { headers: expired }))).status).toBe(401)
  })

  it('with a token that is too old are refused, whatever the token says', async () => {
    const iat = Date.now() / 1000 - 60
    const authorization = `Bearer ${signToken({ iat, exp: iat + 3600 }, KEY)}`
    const behaviour = { access: [{ path: '/', allow: 'authenticated' as const }], endpoints: { 'GET /': {} } }
    const ask = (tokenMaxAge: number) =>
      createScene(behaviour, undefined, { tokenMaxAge }).behaviour.handle(
        request('/', { headers: { authorization } }),
      )
    expect(await ask(120)).toMatchObject({ status: 200 })
    expect(await ask(1)).toMatchObject({ status: 401 })
  })

  it('are let in as many as there may be at a time, and a second', async () => {
    let inside = 0
    let most = 0
    const answer = async () => {
      inside += 1
      most = Math.max(most, inside)
      await sleep(5)
      inside -= 1
    }
    const endpoints = { 'GET /': { steps: [{ call: 'a GET /' }] }, 'GET /few': { limit: 2, reply: '1' } }
    const { behaviour } = createScene({ endpoints }, answer, { concurrency: 2 })
    await Promise.all([1, 2, 3, 4, 5].map(() => behaviour.handle(request())))
    expect(most).toBe(2)
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await behaviour.handle(request('/few'))).status),
    )
    expect(statuses).toEqual([200, 200, 429])
  })

  it('cost what the endpoint says', async () => {
    const { behaviour } = createScene({
      endpoints: { 'GET /': { work: { cpuMs: 30, memoryKiB: 64 }, reply: '1' } },
    })
    const before = process.threadCpuUsage()
    await behaviour.handle(request())
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeGreaterThanOrEqual(30)
  })

  it('are answered in the words of RPC', async () => {
    const { behaviour } = createScene({
      wire: 'grpc',
      rpc: 'p.S',
      endpoints: {
        Get: { reply: 'request.body' },
        Break: { steps: [{ fail: '"bad"' }] },
        Say: { steps: [{ fail: '"no"', status: '5' }] },
      },
    })
    const call = (path: string) => behaviour.handle(request(path, { method: 'RPC', body: { a: 1 } }))
    expect(await call('Get')).toEqual({ status: 0, body: { a: 1 } })
    expect(await call('Break')).toEqual({ status: 13, body: 'bad' })
    expect(await call('Say')).toEqual({ status: 5, body: 'no' })
  })

  it('are told of as they come and go, and fail with a page, where the service says so', async () => {
    const { behaviour, lines, fields } = createScene(
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
        throw new CallFailure('refused', 'nobody is there')
      },
    )
    const answered = await behaviour.handle(request('/', { headers: { cookie: 'id=7' } }))
    const error = 'could not retrieve cart: GET /cart of a failed: nobody is there'
    expect(answered).toMatchObject({ status: 500, body: `<p>500 ${error}</p>` })
    expect(answered.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' })
    expect(lines).toEqual([
      'debug request started',
      'warn no ads: GET /ads of a failed: nobody is there',
      'error request error',
      'debug request complete',
    ])
    const asked = { session: '7', 'http.req.path': '/', 'http.req.method': 'GET' }
    expect(fields[0]).toMatchObject(asked)
    expect(fields[2]).toMatchObject({ ...asked, error })
    expect(fields[3]).toMatchObject({ ...asked, 'http.resp.status': 500 })
  })
})

describe('messages', () => {
  it('are handled under the span of who sent them, and given back where that fails', async () => {
    const scene = createScene({
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
    await scene.behaviour.consume('mail', { ok: true }, { traceparent })
    expect(scene.calls[0]!.body).toEqual({ ok: true })
    expect(scene.spans.at(-1)).toMatchObject({ kind: 'consumer', parentId: '0123456789abcdef', status: 'ok' })
    await expect(scene.behaviour.consume('mail', { ok: false }, {})).rejects.toThrow('bad')
    expect(scene.lines).toEqual(['error bad'])
  })
})
