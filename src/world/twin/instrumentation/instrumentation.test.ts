/** Tests the log lines, spans and metrics of a twin. */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { LogFormat, Span } from '#spec'
import { createLog } from './create-log.ts'
import { createMeter } from './create-meter.ts'
import { createTracer } from './create-tracer.ts'
import { createOutput } from './output.ts'
import { createSpanExporter } from './span-exporter.ts'
import { parseTraceparent, toTraceparent } from './traceparent.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('createLog', () => {
  const formatLine = (
    format: LogFormat,
    level: 'info' | 'warn' | 'error' = 'warn',
    text = 'it broke',
  ): string => {
    const lines: string[] = []
    const output = { write: (line: string) => void lines.push(line), flush: () => {}, dropped: 0 }
    const settings = { level: 'info', service: 'ts-order-service', host: 'pod-1', port: 12031 } as const
    createLog({ ...settings, format }, output)(level, text)
    return lines.join('')
  }

  it('formats lines as the originals do', () => {
    const day = '\\d{4}-\\d\\d-\\d\\d'
    expect(formatLine('spring')).toMatch(
      new RegExp(
        `^${day} \\d\\d:\\d\\d:\\d\\d\\.\\d{3} {2}WARN 1 --- \\[io-12031-exec-1\\] order\\.OrderService +: it broke\\n$`,
      ),
    )
    expect(JSON.parse(formatLine('go-json'))).toMatchObject({ severity: 'warning', message: 'it broke' })
    expect(formatLine('zerolog')).toMatch(new RegExp(`^${day}T\\S+Z WRN \\S+ > it broke\\n$`))
    expect(JSON.parse(formatLine('pino'))).toMatchObject({
      severity: 'warn',
      hostname: 'pod-1',
      message: 'it broke',
    })
    expect(JSON.parse(formatLine('python'))).toMatchObject({ severity: 'WARNING', message: 'it broke' })
    expect(formatLine('thrift')).toMatch(/^\[\d{4}-\w{3}-\d\d \S+\] <warning>: \(\w+\.cpp\) it broke\n$/)
    expect(formatLine('nginx')).toMatch(/^\d{4}\/\d\d\/\d\d \S+ \[warn\] 7#7: it broke\n$/)
    expect(formatLine('redis')).toMatch(/^1:M \d\d \w{3} \d{4} \S+ # it broke\n$/)
    expect(formatLine('verbatim')).toBe('it broke\n')
    expect(formatLine('plain')).toMatch(/^\S+Z WARN it broke\n$/)
  })

  it('keeps a message on one line', () => {
    for (const format of ['spring', 'plain', 'thrift', 'go-json', 'pino'] as const)
      expect(formatLine(format, 'error', 'one\ntwo').trimEnd()).not.toContain('\n')
  })

  it('omits lines below its level', () => {
    const lines: string[] = []
    const output = { write: (line: string) => void lines.push(line), flush: () => {}, dropped: 0 }
    const log = createLog({ format: 'plain', level: 'warn', service: 'a', host: 'b', port: 1 }, output)
    log('info', 'no')
    log('error', 'yes')
    expect(lines).toHaveLength(1)
  })
})

describe('createOutput', () => {
  /** Creates a pipe that is read only when the test reads it. */
  const createPipe = (): { reader: number; writer: number } => {
    const path = join(createFolder(), 'pipe')
    spawnSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { reader, writer: openSync(path, constants.O_WRONLY) }
  }

  const readAll = (reader: number): Buffer => {
    const bytes = Buffer.alloc(1024 * 1024)
    try {
      return Buffer.from(bytes.subarray(0, readSync(reader, bytes)))
    } catch {
      return Buffer.alloc(0)
    }
  }

  it('does not block on a slow reader: it buffers lines, and drops whole lines over the limit', async () => {
    const { reader, writer } = createPipe()
    const output = createOutput(writer)
    const line = `${'é'.repeat(499)}\n`
    for (let count = 0; count < 3000; count += 1) output.write(line)
    expect(output.dropped).toBeGreaterThan(0)
    const writtenCount = 3000 - output.dropped
    let received = Buffer.alloc(0)
    await expect
      .poll(() => {
        received = Buffer.concat([received, readAll(reader)])
        return received.length
      })
      .toBe(writtenCount * Buffer.byteLength(line))
    expect(new Set(received.toString().split('\n'))).toEqual(new Set([line.trimEnd(), '']))
    closeSync(reader)
    closeSync(writer)
  })

  it('keeps running when the reader closes the pipe', () => {
    const { reader, writer } = createPipe()
    const output = createOutput(writer)
    closeSync(reader)
    output.write('one\n')
    output.write('two\n')
    expect(output.dropped).toBe(1)
    closeSync(writer)
  })
})

describe('createTracer', () => {
  it('continues a trace and records failures', () => {
    const spans: Span[] = []
    const tracer = createTracer({ service: 'cart', pod: 'cart-1' }, { add: (span) => void spans.push(span) })
    const server = tracer.start({ name: 'GET /', kind: 'server' })
    const client = tracer.start(
      { name: 'GET', kind: 'client', peer: 'redis', attributes: { a: 1 } },
      server.context,
    )
    client.end('refused')
    server.end()
    const [first, second] = spans
    expect(first).toMatchObject({
      parentId: second!.spanId,
      peer: 'redis',
      status: 'error',
      message: 'refused',
    })
    expect(first!.traceId).toBe(second!.traceId)
    expect(second).toMatchObject({ status: 'ok', service: 'cart', pod: 'cart-1' })
    expect(second!.parentId).toBeUndefined()
    expect(parseTraceparent(toTraceparent(server.context))).toEqual(server.context)
    expect(parseTraceparent('00-nonsense')).toBeUndefined()
  })
})

describe('createSpanExporter', () => {
  const span = { name: 'x' } as unknown as Span

  it('sends batches once the socket is open, and counts dropped spans', async () => {
    const path = join(createFolder(), 'telemetry.sock')
    const exporter = createSpanExporter(path)
    cleanups.push(() => exporter.close())
    exporter.add(span)
    await expect.poll(() => exporter.dropped).toBe(1)
    const parts: Buffer[] = []
    const server = createServer((socket) => socket.on('data', (part) => void parts.push(part)))
    cleanups.push(() => server.close())
    await new Promise<void>((resolve) => server.listen(path, resolve))
    await expect
      .poll(() => {
        exporter.add(span)
        return parts.join('')
      })
      .toContain('\n')
    const [line = ''] = parts.join('').split('\n')
    expect(JSON.parse(line).spans[0]).toEqual(span)
  })
})

describe('createMeter', () => {
  it('formats metrics for Prometheus', () => {
    const meter = createMeter(() => ({ spans_dropped_total: 3 }))
    meter.served('GET /"a"', '200', 4)
    meter.served('GET /"a"', '500', 20_000)
    meter.called('redis', 'GET', 'ok', 1)
    const lines = meter.text().split('\n')
    expect(lines).toContain('requests_served_total{endpoint="GET /\\"a\\"",status="200"} 1')
    expect(lines).toContain('request_duration_seconds_bucket{endpoint="GET /\\"a\\"",le="0.005"} 1')
    expect(lines).toContain('request_duration_seconds_bucket{endpoint="GET /\\"a\\"",le="10"} 1')
    expect(lines).toContain('request_duration_seconds_bucket{endpoint="GET /\\"a\\"",le="+Inf"} 2')
    expect(lines).toContain('calls_total{peer="redis",operation="GET",outcome="ok"} 1')
    expect(lines).toContain('spans_dropped_total 3')
    expect(meter.text()).toMatch(/process_cpu_seconds_total [\d.]+\n/)
    expect(meter.text()).toMatch(/process_resident_memory_bytes \d{7,}/)
  })

  it('limits the number of series', () => {
    const meter = createMeter()
    for (let index = 0; index < 2000; index += 1) meter.served(`GET /${index}`, '200', 1)
    const series = meter
      .text()
      .split('\n')
      .filter((line) => line.startsWith('requests_served_total{'))
    expect(series.length).toBeLessThanOrEqual(501)
    expect(series).toContain('requests_served_total{endpoint="other",status="other"} 1500')
  })
})
