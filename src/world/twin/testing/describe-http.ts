/** The contract of HTTP servers and clients. */
import { describe, expect, it } from 'vitest'
import type { IncomingRequest, OutgoingAnswer, RequestHandler, ServiceCall } from '#world/twin/ports'
import type { WithServiceSubject } from './service-subject.ts'

const GET: ServiceCall = { method: 'GET', target: '/', headers: {} }

const echo = async (request: IncomingRequest): Promise<OutgoingAnswer> => ({
  status: 200,
  body: { method: request.method, path: request.path, query: request.query, body: request.body },
})

const describeMessages = (withSubject: WithServiceSubject): void => {
  it('carries method, path, query and JSON in both directions', () =>
    withSubject(async ({ startServer, createClient }) => {
      const { port } = await startServer(echo)
      const body = { n: [1, undefined, -0, Number.NaN], none: undefined, at: new Date(0), text: 'é"' }
      const answer = await createClient(port).call({ ...GET, method: 'POST', target: '/a/b?x=1&y=%20', body })
      expect(answer.status).toBe(200)
      expect(answer.body).toStrictEqual({
        method: 'POST',
        path: '/a/b',
        query: { x: '1', y: ' ' },
        body: { n: [1, null, 0, null], at: '1970-01-01T00:00:00.000Z', text: 'é"' },
      })
      expect(JSON.parse(String(answer.raw))).toEqual(answer.body)
    }))

  it('carries headers, and adds the content type of the body', () =>
    withSubject(async ({ startServer, createClient }) => {
      const seen: IncomingRequest[] = []
      const { port } = await startServer(async (request) => {
        seen.push(request)
        return { status: 200, headers: { 'X-Kind': 'a', 'set-cookie': 'b=1' }, body: '<!doctype html><p>' }
      })
      const client = createClient(port)
      const headers = { host: 'shop', 'x-name': 'joe' }
      const answer = await client.call({ ...GET, method: 'POST', headers, body: {} })
      await client.call({ ...GET, method: 'POST', headers, body: 'text' })
      await client.call({ ...GET, headers })
      expect(seen.map((request) => [request.headers['content-type'], request.raw?.body.toString()])).toEqual([
        ['application/json', '{}'],
        ['text/plain; charset=utf-8', 'text'],
        [undefined, ''],
      ])
      expect(seen[0]!.headers).toMatchObject(headers)
      expect(seen[0]!.raw!.target).toBe('/')
      expect(answer.headers).toMatchObject({
        'x-kind': 'a',
        'set-cookie': 'b=1',
        'content-type': 'text/html; charset=utf-8',
      })
    }))

  it('parses forms and text', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer(echo)).port)
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const post = { ...GET, method: 'POST' }
      const sentForm = await client.call({ ...post, headers: form, raw: Buffer.from('a=1&b=x+y') })
      expect(sentForm.body).toMatchObject({ body: { a: '1', b: 'x y' } })
      expect((await client.call({ ...post, body: 'plain' })).body).toMatchObject({ body: 'plain' })
      expect((await client.call(GET)).body).toMatchObject({ body: null })
    }))
}

const describeEncoding = (withSubject: WithServiceSubject): void => {
  it('sends bytes unchanged, and no body with status 204', () =>
    withSubject(async ({ startServer, createClient }) => {
      const { port } = await startServer(async ({ path }) =>
        path === '/none'
          ? { status: 204, body: 'x' }
          : { status: 201, body: null, raw: Buffer.from([0, 255]) },
      )
      const client = createClient(port)
      const raw = await client.call(GET)
      expect([raw.status, [...raw.raw!]]).toEqual([201, [0, 255]])
      const none = await client.call({ ...GET, target: '/none' })
      expect([none.status, none.body, none.raw!.length]).toEqual([204, null, 0])
    }))

  it('resolves with any status, and reports a malformed JSON body', () =>
    withSubject(async ({ startServer, createClient }) => {
      const { port } = await startServer(async (request) => {
        try {
          return { status: 200, body: request.body }
        } catch (error) {
          return { status: 400, body: (error as Error).message }
        }
      })
      const headers = { 'content-type': 'application/json' }
      const answer = await createClient(port).call({
        ...GET,
        method: 'POST',
        headers,
        raw: Buffer.from('{"a":'),
      })
      expect(answer.status).toBe(400)
      expect(answer.body).toContain('JSON parse error')
    }))

  it('answers 500 if a response cannot be encoded in HTTP, and keeps serving', () =>
    withSubject(async ({ startServer, createClient }) => {
      const answers: OutgoingAnswer[] = [
        { status: 200, headers: { location: '/caf\u00e9\n\u4e00' }, body: '' },
        { status: Number.NaN, body: '' },
        { status: 200, body: { n: 1n } },
        { status: 200, body: 'well' },
      ]
      const client = createClient((await startServer(async () => answers.shift()!)).port)
      const statuses: number[] = []
      for (let count = 0; count < 4; count += 1) statuses.push((await client.call(GET)).status)
      expect(statuses).toEqual([500, 500, 500, 200])
    }))

  it('rejects a path that HTTP cannot encode', () =>
    withSubject(async ({ startServer, createClient }) => {
      const client = createClient((await startServer(echo)).port)
      await expect(client.call({ ...GET, target: '/a b' })).rejects.toMatchObject({
        code: 'ERR_UNESCAPED_CHARACTERS',
        message: 'Request path contains unescaped characters',
      })
    }))
}

const describeFailures = (withSubject: WithServiceSubject): void => {
  it('reports refused connections and unknown names', () =>
    withSubject(async ({ startServer, createClient, host }) => {
      const { port, close } = await startServer(echo)
      await close()
      await expect(createClient(port).call(GET)).rejects.toMatchObject({
        kind: 'refused',
        message: `connect ECONNREFUSED ${host}:${port}`,
      })
      const address = async () => ({ host: 'no-such-host.invalid', port })
      await expect(createClient(port, { address }).call(GET)).rejects.toMatchObject({
        kind: 'name',
        message: expect.stringMatching(/^getaddrinfo (ENOTFOUND|EAI_AGAIN) no-such-host.invalid$/),
      })
    }))

  it('reports a closed connection and a missing answer', () =>
    withSubject(async ({ startClosingServer, startSilentServer, createClient }) => {
      const { port } = await startClosingServer(1)
      await expect(createClient(port).call(GET)).rejects.toMatchObject({
        kind: 'reset',
        message: 'socket hang up',
      })
      const silent = createClient(await startSilentServer())
      await expect(silent.call({ ...GET, timeoutMs: 50 })).rejects.toMatchObject({
        kind: 'timeout',
        message: 'no answer within 50 ms',
      })
    }))

  it('retries idempotent calls whose reused connection was closed', () =>
    withSubject(async ({ startClosingServer, createClient }) => {
      const { port, connections } = await startClosingServer(2)
      const client = createClient(port)
      await client.call(GET)
      expect((await client.call(GET)).status).toBe(200)
      expect(connections()).toBe(2)
      await expect(client.call({ ...GET, method: 'POST' })).rejects.toMatchObject({ kind: 'reset' })
    }))
}

const describeConnections = (withSubject: WithServiceSubject): void => {
  it('reuses connections, and resolves the address only for new ones', () =>
    withSubject(async ({ startServer, createClient, host, sleep }) => {
      const { port } = await startServer(async (request) => {
        if (request.path === '/slow') await sleep(50)
        return { status: 200, body: null }
      })
      let lookups = 0
      const address = async () => {
        lookups += 1
        return { host, port }
      }
      const client = createClient(port, { address })
      for (let count = 0; count < 5; count += 1) await client.call(GET)
      expect(lookups).toBe(1)
      await Promise.all([1, 2, 3].map(() => client.call({ ...GET, target: '/slow' })))
      expect(lookups).toBe(3)
    }))

  it('limits concurrent calls, and the time that a call waits', () =>
    withSubject(async ({ startServer, createClient, sleep }) => {
      let open = 0
      let maxOpen = 0
      const { port } = await startServer(async () => {
        open += 1
        maxOpen = Math.max(maxOpen, open)
        await sleep(60)
        open -= 1
        return { status: 200, body: null }
      })
      const unlimitedWait = createClient(port, { poolSize: 2 })
      await Promise.all([1, 2, 3, 4].map(() => unlimitedWait.call(GET)))
      expect(maxOpen).toBe(2)
      const limitedWait = createClient(port, { poolSize: 1, poolWaitMs: 10 })
      const [first, second] = await Promise.allSettled([limitedWait.call(GET), limitedWait.call(GET)])
      expect(first.status).toBe('fulfilled')
      expect(second).toMatchObject({
        reason: { kind: 'pool', message: 'none of the 1 connections became free within 10 ms' },
      })
    }))

  it('completes pending requests before the server closes, for a limited time', () =>
    withSubject(async ({ startServer, createClient, sleep }) => {
      const respondAfter =
        (ms: number): RequestHandler =>
        async () => {
          await sleep(ms)
          return { status: 200, body: 'done' }
        }
      const completing = await startServer(respondAfter(80))
      const answer = createClient(completing.port).call(GET)
      await sleep(30)
      await completing.close(2000)
      expect((await answer).body).toBe('done')
      const aborting = await startServer(respondAfter(5000))
      const aborted = createClient(aborting.port).call(GET)
      await sleep(30)
      await Promise.all([aborting.close(20), expect(aborted).rejects.toMatchObject({ kind: 'reset' })])
    }))
}

export const describeHttp = (name: string, withSubject: WithServiceSubject): void => {
  describe(name, () => {
    describeMessages(withSubject)
    describeEncoding(withSubject)
    describeFailures(withSubject)
    describeConnections(withSubject)
  })
}
