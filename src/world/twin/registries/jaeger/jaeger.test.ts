/** Tests that Jaeger receives spans, and answers the queries of its user interface. */
import { afterEach, expect, test } from 'vitest'
import { processRegistryHost } from '../process-registry-host.ts'
import { SpanStore } from './span-store.ts'
import { startJaegerServer } from './start-jaeger-server.ts'

const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0)) await close()
})

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

const otlp = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'frontend' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: TRACE_ID,
              spanId: '00f067aa0ba902b7',
              name: 'HTTP GET /hotels',
              startTimeUnixNano: '1700000000000000000',
              endTimeUnixNano: '1700000000012000000',
              attributes: [{ key: 'http.status_code', value: { intValue: '500' } }],
              status: { code: 2, message: 'no rate' },
            },
          ],
        },
      ],
    },
  ],
}

const twinBatch = {
  spans: [
    {
      traceId: TRACE_ID,
      spanId: '1111111111111111',
      parentId: '00f067aa0ba902b7',
      name: 'search.Search/Nearby',
      service: 'search',
      pod: 'search-0',
      kind: 'server',
      start: 1_700_000_000_001,
      durationMs: 4.5,
      status: 'ok',
      attributes: {},
    },
  ],
}

test('combines spans of both formats into one trace', async () => {
  const server = await startJaegerServer(processRegistryHost, {
    port: 0,
    environment: {},
    log: () => {},
    onCommand: () => {},
  })
  cleanups.push(() => server.close(0))
  const baseUrl = `http://127.0.0.1:${server.port}`
  const post = (body: string) => fetch(`${baseUrl}/v1/traces`, { method: 'POST', body })
  const get = async (path: string) => (await fetch(`${baseUrl}${path}`)).json() as Promise<any>
  expect((await post(JSON.stringify(otlp))).status).toBe(200)
  expect((await post(`${JSON.stringify(twinBatch)}\n`)).status).toBe(200)
  expect((await post('nonsense')).status).toBe(400)
  expect((await get('/api/services')).data).toEqual(['frontend', 'search'])
  expect((await get('/api/services/search/operations')).data).toEqual(['search.Search/Nearby'])
  const [trace] = (await get('/api/traces?service=frontend&limit=5')).data
  expect(trace).toMatchObject({
    traceID: TRACE_ID,
    spans: [
      {
        operationName: 'HTTP GET /hotels',
        startTime: 1_700_000_000_000_000,
        duration: 12_000,
        processID: 'p1',
      },
      { references: [{ refType: 'CHILD_OF', spanID: '00f067aa0ba902b7' }], duration: 4500, processID: 'p2' },
    ],
    processes: { p1: { serviceName: 'frontend' }, p2: { serviceName: 'search' } },
  })
  expect(trace.spans[0].tags).toContainEqual({ key: 'error', type: 'bool', value: true })
  expect((await get(`/api/traces/${TRACE_ID}`)).data).toEqual([trace])
  expect((await get('/api/traces/abcdef')).errors[0].code).toBe(404)
  expect((await get('/api/traces')).errors[0].code).toBe(400)
})

test('evicts the oldest traces above the maximum number of spans', () => {
  const store = new SpanStore(3)
  const createSpan = (traceId: string) => ({
    traceId,
    spanId: 'a',
    service: 's',
    name: 'n',
    start: 0,
    duration: 1,
    tags: {},
  })
  store.add([createSpan('1'), createSpan('1'), createSpan('2'), createSpan('3')])
  expect(store.trace('1')).toEqual([])
  expect(store.find({ service: 's', limit: 9 }).map(([first]) => first!.traceId)).toEqual(['3', '2'])
  store.add(Array.from({ length: 9 }, () => createSpan('4')))
  expect(store.trace('4')).toHaveLength(3)
})
