/** Tests the telemetry of the Python programs with a small service. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Span } from '#spec'

const PROGRAM = `
import telemetry
class Handler(telemetry.Handler):
    def respond(self, method, path):
        if path == "/ok": return 200, "text/plain", b"fine"
        if path == "/bad": raise ValueError("no good")
        return 404, "text/plain", b""
telemetry.serve("little", 0, Handler)
`
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT_SPAN_ID = 'b7ad6b7169203331'

let folder: string
let program: ChildProcess
let collector: Server
let origin: string
const spans: Span[] = []

const startCollector = async (): Promise<void> => {
  collector = createServer((socket) => {
    createInterface({ input: socket }).on('line', (line) => spans.push(...JSON.parse(line).spans))
  })
  collector.listen(join(folder, 'socket'))
  await once(collector, 'listening')
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'simple-micro-'))
  program = spawn('python3', ['-c', PROGRAM], {
    env: {
      ...process.env,
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      REMEDIUM_TELEMETRY: join(folder, 'socket'),
      HOSTNAME: 'little-1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: program.stdout! }), 'line')
  origin = `http://127.0.0.1:${/port (\d+)/.exec(line)![1]}`
})
afterAll(() => {
  program.kill()
  collector.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(origin + path, { headers })

describe('a service of Simple-Micro', () => {
  it('serves requests without a span collector, and sends spans once there is one', async () => {
    expect(await (await get('/ok')).text()).toBe('fine')
    await startCollector()
    const traceparent = `00-${TRACE_ID}-${PARENT_SPAN_ID}-01`
    await expect
      .poll(async () => {
        await get('/ok', { traceparent })
        return spans.find(({ traceId }) => traceId === TRACE_ID)
      })
      .toMatchObject({
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        parentId: PARENT_SPAN_ID,
        name: 'GET /ok',
        service: 'little',
        pod: 'little-1',
        kind: 'server',
        status: 'ok',
        attributes: { 'http.response.status_code': 200 },
      })
  })

  it('answers 500 to an exception, and records a span with an error', async () => {
    expect((await get('/bad')).status).toBe(500)
    await expect
      .poll(() => spans.find(({ name }) => name === 'GET /bad'))
      .toMatchObject({ status: 'error', message: 'no good' })
  })

  it('counts all requests, and records no spans for probes', async () => {
    await get('/nowhere', { 'user-agent': 'kube-probe/1.34' })
    await get('/last')
    await expect.poll(() => spans.filter(({ name }) => name === 'GET *')).toHaveLength(1)
    const text = await (await get('/metrics')).text()
    expect(text).toMatch(/^requests_served_total\{endpoint="GET \*",status="404"\} 2$/m)
    expect(text).toMatch(/^requests_served_total\{endpoint="GET \/bad",status="500"\} 1$/m)
    expect(text).toMatch(/^request_duration_seconds_bucket\{endpoint="GET \/bad",le="\+Inf"\} 1$/m)
    expect(text).toMatch(/^request_duration_seconds_count\{endpoint="GET \/bad"\} 1$/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d{6,}$/m)
    expect(text).not.toContain('/metrics')
  })
})
