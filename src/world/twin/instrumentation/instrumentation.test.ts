/** Tests the log lines, spans and metrics of a twin. */
import { describe, expect, it } from 'vitest'
import type { LogFormat, Span } from '#spec'
import { createProcessResources } from '#world/twin/process'
import { createLog } from './create-log.ts'
import { createMeter } from './create-meter.ts'
import { createTracer } from './create-tracer.ts'
import { parseTraceparent, toTraceparent } from './traceparent.ts'

const NOW = Date.UTC(2026, 0, 31, 12, 30, 5, 7)

/** A host whose clock stands still. */
const createTestHost = () => {
  const lines: string[] = []
  const spans: Span[] = []
  const host = {
    ...createProcessResources(),
    time: { now: () => NOW, monotonic: () => NOW + 0.25, after: () => () => {} },
    random: { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) },
    write: (line: string) => void lines.push(line),
    exportSpan: (span: Span) => void spans.push(span),
    counts: () => ({ droppedSpans: 3, droppedLines: 4, openDescriptors: 5 }),
  }
  return { host, lines, spans }
}

describe('createLog', () => {
  const formatLine = (
    format: LogFormat,
    level: 'info' | 'warn' | 'error' = 'warn',
    text = 'it broke',
  ): string => {
    const { host, lines } = createTestHost()
    const settings = { level: 'info', service: 'ts-order-service', host: 'pod-1', port: 12031 } as const
    createLog({ ...settings, format }, host)(level, text)
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
    const { host, lines } = createTestHost()
    const log = createLog({ format: 'plain', level: 'warn', service: 'a', host: 'b', port: 1 }, host)
    log('info', 'no')
    log('error', 'yes')
    expect(lines).toHaveLength(1)
  })
})

describe('createTracer', () => {
  it('continues a trace and records failures', () => {
    const { host, spans } = createTestHost()
    const tracer = createTracer({ service: 'cart', pod: 'cart-1' }, host)
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

describe('createMeter', () => {
  it('formats metrics for Prometheus', () => {
    const meter = createMeter(createTestHost().host)
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
    expect(lines).toContain('log_lines_dropped_total 4')
    expect(lines).toContain('process_open_fds 5')
    expect(lines).toContain(`process_start_time_seconds ${NOW / 1000}`)
    expect(meter.text()).toMatch(/process_cpu_seconds_total [\d.]+\n/)
    expect(meter.text()).toMatch(/process_resident_memory_bytes \d{7,}/)
  })

  it('limits the number of series', () => {
    const meter = createMeter(createTestHost().host)
    for (let index = 0; index < 2000; index += 1) meter.served(`GET /${index}`, '200', 1)
    const series = meter
      .text()
      .split('\n')
      .filter((line) => line.startsWith('requests_served_total{'))
    expect(series.length).toBeLessThanOrEqual(501)
    expect(series).toContain('requests_served_total{endpoint="other",status="other"} 1500')
  })
})
