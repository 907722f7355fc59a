/** Tests the server with real sockets: OpenEnv over WebSockets and HTTP, MCP, and clients that misbehave. */
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { RIGHT, runPlaybook, SUBMIT, useFakeGym } from '../testing/use-fake-gym.ts'
import { type GymServer, serveGym } from './serve-gym.ts'

const fake = useFakeGym()
let server: GymServer
beforeAll(async () => {
  server = await serveGym({ gym: fake.gym, host: '127.0.0.1', port: 0, idleMs: 600_000 })
})
afterAll(() => server.close())

const noSessions = () => expect.poll(() => fake.gym.openSessions).toBe(0)

const sockets: WebSocket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  await noSessions()
})

const openSocket = async (path = '/ws') => {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path)
  sockets.push(socket)
  const replies: any[] = []
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  socket.on('message', (data) => replies.push(JSON.parse(String(data))))
  await new Promise((resolve) => socket.once('open', resolve))
  const next = async () => {
    await expect.poll(() => replies.length).toBeGreaterThan(0)
    return replies.shift()
  }
  const ask = (message: unknown) => {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    return next()
  }
  return { socket, ask, next, closed }
}

const request = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const method = body === undefined ? 'GET' : 'POST'
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(server.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: text }),
  })
  const reply = await response.text()
  return { status: response.status, body: reply === '' ? undefined : JSON.parse(reply) }
}

describe('over WebSockets', () => {
  it('plays an episode as EnvClient of OpenEnv does', async () => {
    const { ask, socket, closed } = await openSocket()
    const first = await ask({ type: 'reset', data: { seed: 42, problem: 'a' } })
    expect(first).toMatchObject({ type: 'observation', data: { reward: null, done: false } })
    expect(first.data.observation.text).toContain('users suffer')
    await ask({ type: 'step', data: runPlaybook(RIGHT) })
    const submit = { type: 'call_tool', tool_name: 'submit', arguments: {} }
    expect(await ask({ type: 'step', data: submit })).toMatchObject({
      data: { reward: 1, done: true, terminated: true },
    })
    expect(await ask({ type: 'state' })).toMatchObject({
      type: 'state',
      data: { step_count: 1, is_over: true },
    })
    socket.send('{"type":"close"}')
    expect(await closed).toBe(1000)
  })

  it('answers mistakes with errors', async () => {
    const { ask } = await openSocket()
    expect(await ask('garbage')).toMatchObject({ type: 'error', data: { code: 'INVALID_JSON' } })
    expect(await ask([1])).toMatchObject({ data: { code: 'VALIDATION_ERROR' } })
    expect(await ask({ type: 'jump' })).toMatchObject({ data: { code: 'UNKNOWN_TYPE' } })
    expect(await ask({ type: 'step', data: SUBMIT })).toMatchObject({ data: { code: 'EXECUTION_ERROR' } })
    expect(await ask({ type: 'reset', data: { problem: 'x' } })).toMatchObject({
      data: { error: 'bad-argument' },
    })
  })

  it('refuses a client if all sessions are taken', async () => {
    await openSocket()
    await openSocket()
    const { next, closed } = await openSocket()
    expect(await next()).toMatchObject({ data: { code: 'CAPACITY_REACHED' } })
    await closed
  })

  it('cuts off a client that sends garbage or floods, without affecting others', async () => {
    const honest = await openSocket()
    await honest.ask({ type: 'reset', data: { problem: 'a' } })
    const garbage = await openSocket()
    for (let count = 0; count < 25; count += 1) garbage.socket.send('x')
    expect(await garbage.closed).toBe(1008)
    await expect.poll(() => fake.gym.openSessions).toBe(1)
    const flood = await openSocket()
    for (let count = 0; count < 5000; count += 1) flood.socket.send('{"type":"state"}')
    expect(await flood.closed).toBe(1008)
    const large = await openSocket().catch(() => undefined)
    large?.socket.send('x'.repeat(5_000_000))
    expect([1009, 1006]).toContain(await large?.closed)
    await honest.ask({ type: 'step', data: runPlaybook(RIGHT) })
    expect(await honest.ask({ type: 'step', data: SUBMIT })).toMatchObject({ data: { reward: 1 } })
  })

  it('ends the session of a client that vanishes', async () => {
    const { socket, ask } = await openSocket()
    await ask({ type: 'reset', data: { problem: 'a' } })
    socket.terminate()
    await noSessions()
  })

  it('ends sessions that are idle, and connections that do not answer pings', async () => {
    const short = await serveGym({ gym: fake.gym, host: '127.0.0.1', port: 0, idleMs: 100, pingMs: 50 })
    onTestFinished(() => short.close())
    const socket = new WebSocket(`${short.url.replace('http', 'ws')}/ws`)
    const code = await new Promise((resolve) => socket.on('close', resolve))
    expect(code).toBe(1008)
    const deaf = connect(Number(new URL(short.url).port), '127.0.0.1')
    const key = 'dGhlIHNhbXBsZSBub25jZQ=='
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
    ]
    deaf.write(`GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\n${upgrade.join('\r\n')}\r\n\r\n`)
    deaf.resume()
    await new Promise((resolve) => deaf.on('close', resolve))
    await noSessions()
  })
})

describe('over HTTP', () => {
  it('plays an episode in a session', async () => {
    const first = await request('/reset', { problem: 'a', seed: 1 })
    expect(first).toMatchObject({ status: 200, body: { done: false } })
    const { session_id } = first.body
    await request('/step', { action: runPlaybook(RIGHT), session_id })
    const header = { 'x-session-id': session_id }
    expect(await request('/step', { action: SUBMIT }, header)).toMatchObject({
      body: { reward: 1, done: true },
    })
    expect(await request(`/state?session_id=${session_id}`)).toMatchObject({ body: { step_count: 1 } })
    expect(await request('/close', { session_id })).toMatchObject({ body: { closed: true } })
    expect(await request('/state', undefined, header)).toMatchObject({ status: 400 })
  })

  it('describes itself', async () => {
    expect(await request('/health')).toEqual({ status: 200, body: { status: 'healthy' } })
    expect((await request('/metadata')).body).toMatchObject({ name: 'remedium' })
    expect((await request('/schema')).body.action.properties.name.enum).toContain('run_playbook')
    expect((await request('/problems')).body.problems).toHaveLength(4)
  })

  it.each([
    ['/reset', '{', 400],
    ['/reset', [], 422],
    ['/reset', { problem: 'x' }, 400],
    ['/step', {}, 400],
    ['/step', 'x'.repeat(5_000_000), 413],
    ['/nowhere', {}, 404],
    ['/step', undefined, 405],
  ])('rejects %s with an invalid request', async (path, body, status) => {
    expect((await request(path, body)).status).toBe(status)
    expect(fake.gym.openSessions).toBe(0)
  })

  it('rejects pages of other sites', async () => {
    expect((await request('/health', undefined, { origin: 'http://evil.example' })).status).toBe(403)
  })
})

it('speaks the Model Context Protocol', async () => {
  const rpc = async (method: string, params: object = {}) =>
    (await request('/mcp', { jsonrpc: '2.0', id: 1, method, params })).body
  expect(await rpc('initialize')).toMatchObject({ result: { serverInfo: { name: 'remedium' } } })
  const { result } = await rpc('tools/list')
  expect(result.tools.map(({ name }: { name: string }) => name)).toContain('run_playbook')
  const { result: created } = await rpc('openenv/session/create')
  const call = (name: string, input: object) => rpc('tools/call', { name, arguments: input, ...created })
  expect(await call('submit', {})).toMatchObject({ error: { code: -32602 } })
  const briefing = await call('start_episode', { problem: 'a' })
  expect(briefing.result.content[0].text).toContain('users suffer')
  expect(await call('run_playbok', {})).toMatchObject({ result: { isError: true } })
  expect(await call('submit', {})).toMatchObject({ result: { structuredContent: { done: true, reward: 0 } } })
  expect(await rpc('openenv/session/close', created)).toMatchObject({ result: { closed: true } })
  expect(await rpc('jump')).toMatchObject({ error: { code: -32601 } })
  expect((await request('/mcp', 'x')).body).toMatchObject({ error: { code: -32700 } })
})
