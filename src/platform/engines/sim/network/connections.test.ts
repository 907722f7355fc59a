/** Tests connections between programs on a network without faults. */
import { describe, expect, it } from 'vitest'
import { sleep } from '#kit'
import type { ProgramMessage } from '#spec'
import { LATENCY_MS } from './constants.ts'
import { ask, codeOf, createTestNetwork, serveEcho } from './testing/create-test-network.ts'

const ROUND_TRIP_MS = 2 * LATENCY_MS

const createFixture = () => {
  const test = createTestNetwork()
  const [a, b] = [test.addPod('a'), test.addPod('b', { node: 'node2' })]
  return { ...test, a, b }
}

describe('a connection', () => {
  it('takes a round trip to open and one for each exchange', async () => {
    const { a, b, time } = createFixture()
    serveEcho(b)
    const opened = await time(() => a.network.connect(b.ip, 8080))
    expect(opened.ms).toBeCloseTo(ROUND_TRIP_MS, 3)
    expect(opened.result).toMatchObject({ address: b.ip, isClosed: false })
    const asked = await time(async () => ask(await a.network.connect(b.ip, 8080), 'hello'))
    expect(asked.result).toBe('hello')
    expect(asked.ms).toBeCloseTo(2 * ROUND_TRIP_MS, 3)
  })

  it('shows the server the address of the client', async () => {
    const { a, b, run, network } = createFixture()
    const seen: string[] = []
    b.network.listen(8080, ({ from }) => {
      seen.push(from)
      return async (request) => request
    })
    await run(() => a.network.connect(b.ip, 8080))
    await run(() => b.network.connect('localhost', 8080))
    await run(() => b.network.connect(b.ip, 8080))
    await run(() => network.connectFromNode('node1', b.ip, 8080))
    await run(() => network.connectInside(b.uid, 8080, 'loopback'))
    await run(() => network.connectInside(b.uid, 8080, 'address'))
    expect(seen).toEqual([a.ip, '127.0.0.1', b.ip, '172.18.0.2', '127.0.0.1', b.ip])
  })

  it('delivers requests in order, and serves them concurrently', async () => {
    const { a, b, clock, run } = createFixture()
    const started: unknown[] = []
    b.network.listen(8080, () => async (request) => {
      started.push(request.content)
      await sleep(clock, 30 - 10 * Number(request.content))
      return request
    })
    const answered: unknown[] = []
    const connection = await run(() => a.network.connect(b.ip, 8080))
    const start = clock.now()
    await run(() =>
      Promise.all([0, 1, 2].map(async (number) => answered.push(await ask(connection, number, 5000)))),
    )
    expect(started).toEqual([0, 1, 2])
    expect(answered).toEqual([2, 1, 0])
    expect(clock.now() - start).toBeCloseTo(30 + ROUND_TRIP_MS, 3)
  })

  it('serves many connections in parallel', async () => {
    const { a, b, run, clock } = createFixture()
    serveEcho(b)
    const start = clock.now()
    const answers = await run(() =>
      Promise.all(
        Array.from({ length: 100 }, async (_, index) => ask(await a.network.connect(b.ip, 8080), index)),
      ),
    )
    expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => index))
    expect(clock.now() - start).toBeCloseTo(2 * ROUND_TRIP_MS, 3)
  })

  it('is refused without a listener, and after the listener is closed', async () => {
    const { a, b, time } = createFixture()
    const refused = await time(() => a.network.connect(b.ip, 8080))
    expect(refused.result).toBe('ECONNREFUSED')
    expect(refused.ms).toBeCloseTo(ROUND_TRIP_MS, 3)
    const listener = b.network.listen(8080, () => async (request) => request)
    listener.close()
    expect((await time(() => a.network.connect(b.ip, 8080))).result).toBe('ECONNREFUSED')
  })

  it('stays open when its listener is closed', async () => {
    const { a, b, run } = createFixture()
    const listener = b.network.listen(8080, () => async (request) => request)
    const connection = await run(() => a.network.connect(b.ip, 8080))
    listener.close()
    expect(await run(() => ask(connection, 'still there'))).toBe('still there')
  })

  it('reports an address without a pod five times immediately, then once per second', async () => {
    const { a, time } = createFixture()
    for (let index = 0; index < 5; index += 1) {
      const { result, ms } = await time(() => a.network.connect('10.244.0.99', 80))
      expect(result).toBe('ENETUNREACH')
      expect(ms).toBeCloseTo(ROUND_TRIP_MS, 3)
    }
    const { result, ms } = await time(() => a.network.connect('11.2.3.4', 80))
    expect(result).toBe('ENETUNREACH')
    expect(ms).toBeCloseTo(1000 + ROUND_TRIP_MS, 2)
  })

  it('can be aborted while it is opened', async () => {
    const { a, b, clock, network, time } = createFixture()
    serveEcho(b)
    network.cut(b.uid, 'both')
    const controller = new AbortController()
    clock.after(250, () => controller.abort(new Error('too late')))
    const { result, ms } = await time(() => a.network.connect(b.ip, 8080, controller.signal))
    expect(result).toEqual(new Error('too late'))
    expect(ms).toBeCloseTo(250, 3)
    await expect(a.network.connect(b.ip, 8080, AbortSignal.abort(new Error('before')))).rejects.toThrow(
      'before',
    )
  })

  it('cannot listen on a used port', () => {
    const { a } = createFixture()
    const listener = a.network.listen(80, () => async (request) => request)
    expect(() => a.network.listen(80, () => async (request) => request)).toThrow('EADDRINUSE')
    const other = a.model.startProcess()
    expect(() => other.network.listen(80, () => async (request) => request)).toThrow('EADDRINUSE')
    expect([a.process.isListening(80), other.isListening(80)]).toEqual([true, false])
    listener.close()
    other.network.listen(80, () => async (request) => request)
    expect([a.process.isListening(80), other.isListening(80)]).toEqual([false, true])
  })
})

describe('the end of a connection', () => {
  it('reaches the server after the requests before it', async () => {
    const { a, b, clock, run } = createFixture()
    const seen: unknown[] = []
    b.network.listen(8080, (accepted) => {
      accepted.onClose(() => seen.push('closed'))
      return async (request) => {
        seen.push(request.content)
        return request
      }
    })
    const connection = await run(() => a.network.connect(b.ip, 8080))
    const pending = connection.exchange({ content: 'last words', bytes: 10 }).catch(codeOf)
    connection.close()
    expect(connection.isClosed).toBe(true)
    expect(await pending).toBe('ECONNRESET')
    await run(() => sleep(clock, 1))
    // The server still processes the request of a client that has closed the connection.
    expect(seen).toEqual(['last words', 'closed'])
    await expect(connection.exchange({ content: 1, bytes: 1 })).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('reaches the client after the answers before it', async () => {
    const { a, b, run } = createFixture()
    b.network.listen(8080, (accepted) => async (request) => {
      if (request.content === 'bye') accepted.close()
      return request
    })
    const connection = await run(() => a.network.connect(b.ip, 8080))
    let closed = 0
    connection.onClose(() => {
      closed += 1
    })
    const [first, second] = [ask(connection, 'hello'), ask(connection, 'bye').catch(codeOf)]
    expect(await run(() => Promise.all([first, second]))).toEqual(['hello', 'ECONNRESET'])
    expect([closed, connection.isClosed]).toEqual([1, true])
    connection.onClose(() => {
      closed += 1
    })
    expect(closed).toBe(2)
  })

  it('follows from a request that the server rejects', async () => {
    const { a, b, run } = createFixture()
    b.network.listen(8080, () => () => Promise.reject(new Error('broken')))
    b.network.listen(8081, () => {
      throw new Error('broken')
    })
    for (const port of [8080, 8081]) {
      const connection = await run(() => a.network.connect(b.ip, port))
      expect(await run(() => ask(connection).catch(codeOf))).toBe('ECONNRESET')
    }
  })
})

describe('the end of a program', () => {
  it('resets its connections and refuses new ones', async () => {
    const { a, b, clock, run, time } = createFixture()
    b.network.listen(8080, () => () => new Promise<ProgramMessage>(() => {}))
    const connection = await run(() => a.network.connect(b.ip, 8080))
    const accepted: string[] = []
    a.network.listen(9090, (incoming) => {
      incoming.onClose(() => accepted.push('closed'))
      return async (request) => request
    })
    await run(() => b.network.connect(a.ip, 9090))
    const pending = connection.exchange({ content: 1, bytes: 1 }).catch(codeOf)
    await run(() => sleep(clock, 10))
    b.process.end()
    expect(connection.isClosed).toBe(false)
    const { result, ms } = await time(() => pending)
    expect(result).toBe('ECONNRESET')
    expect(ms).toBeCloseTo(LATENCY_MS, 3)
    await run(() => sleep(clock, 1))
    expect(accepted).toEqual(['closed'])
    expect((await time(() => a.network.connect(b.ip, 8080))).result).toBe('ECONNREFUSED')
  })

  it('stops all calls to the program', async () => {
    const { a, b, clock, run } = createFixture()
    const calls: string[] = []
    serveEcho(b)
    const connection = await run(() => a.network.connect(b.ip, 8080))
    connection.onClose(() => calls.push('closed'))
    const settled = (): number => calls.push('settled')
    ask(connection).then(settled, settled)
    a.network.connect(b.ip, 8080).then(settled, settled)
    a.network.connect('b.other', 8080).then(settled, settled)
    a.process.end()
    ask(connection).then(settled, settled)
    a.network.connect(b.ip, 8080).then(settled, settled)
    await run(() => sleep(clock, 60_000))
    expect(calls).toEqual([])
  })

  it('does not affect other programs of the pod', async () => {
    const { a, b, run } = createFixture()
    const other = b.model.startProcess()
    serveEcho({ network: other.network }, 9090)
    serveEcho(b)
    const connection = await run(() => a.network.connect(b.ip, 9090))
    b.process.end()
    expect(await run(() => ask(connection, 'alive'))).toBe('alive')
  })
})

describe('a detached pod', () => {
  it('is unreachable for new connections', async () => {
    const { a, b, time } = createFixture()
    serveEcho(b)
    b.process.end()
    b.model.detach()
    expect((await time(() => a.network.connect(b.ip, 8080))).result).toBe('ENETUNREACH')
  })

  it('keeps connections open until its peers send data', async () => {
    const { a, b, clock, run, time } = createFixture()
    serveEcho(b)
    const connection = await run(() => a.network.connect(b.ip, 8080))
    b.model.detach()
    await run(() => sleep(clock, 60_000))
    expect(connection.isClosed).toBe(false)
    const { result, ms } = await time(() => ask(connection))
    expect(result).toBe('ECONNRESET')
    expect(ms).toBeCloseTo(ROUND_TRIP_MS, 3)
    expect(connection.isClosed).toBe(true)
  })

  it('does not answer requests that were in transit', async () => {
    const { a, b, clock, run, time } = createFixture()
    const requests: unknown[] = []
    b.network.listen(8080, () => async (request) => {
      requests.push(request)
      return request
    })
    const connection = await run(() => a.network.connect(b.ip, 8080))
    const pending = ask(connection).catch(codeOf)
    b.model.detach()
    const { result } = await time(() => pending)
    expect([result, requests]).toEqual(['ECONNRESET', []])
    await run(() => sleep(clock, 1000))
  })

  it('can be attached again with the same address', async () => {
    const { a, b, network, run } = createFixture()
    b.model.detach()
    b.model.detach()
    const next = network.attachPod(
      { metadata: { name: 'c', namespace: 'shop', uid: 'c' }, spec: { containers: [] }, status: {} } as never,
      { ip: b.ip, node: 'node2' },
    )
    serveEcho({ network: next.startProcess().network })
    expect(await run(async () => ask(await a.network.connect(b.ip, 8080), 'new'))).toBe('new')
  })
})

describe('the counters of a pod', () => {
  it('count messages with their headers, but not those inside the pod', async () => {
    const { a, b, run } = createFixture()
    serveEcho(b, 8080, 3000)
    await run(async () => ask(await b.network.connect('127.0.0.1', 8080)))
    const inside = b.model.reading()
    expect(inside).toEqual({ receivedBytes: 0, sentBytes: 0, receiveDropped: 0, sendDropped: 0 })
    await run(async () => ask(await a.network.connect(b.ip, 8080)))
    // Three segments for the answer.
    expect(a.model.reading()).toMatchObject({ sentBytes: 300 + 66, receivedBytes: 3000 + 3 * 66 })
    expect(b.model.reading()).toMatchObject({ receivedBytes: 300 + 66, sentBytes: 3000 + 3 * 66 })
  })
})
