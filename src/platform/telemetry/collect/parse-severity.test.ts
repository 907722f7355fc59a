/** Tests of detecting severities in the log formats of the systems' programs. */
import { expect, it } from 'vitest'
import { parseSeverity } from './parse-severity.ts'

it.each([
  ['2026-11-15 09:00:00.123  INFO 1 --- [nio-8080-exec-1] order.Controller : the ERROR was found', 'info'],
  ['2026-11-15 09:00:00.123  WARN 1 --- [main] c.n.Client : slow', 'warn'],
  ['2026-11-15 09:00:00.123 ERROR 1 --- [main] o.s.Dispatcher : Servlet.service() threw', 'error'],
  ['{"message":"say \\"level\\":\\"error\\"","level":"debug"}', 'debug'],
  ['{"severity":"WARNING","message":"x"}', 'warn'],
  ['{"level":50,"time":1,"msg":"no"}', 'error'],
  ['{"level":30,"time":1}', 'info'],
  ['{"t":{"$date":"2026-11-15T09:00:00.000+00:00"},"s":"E","c":"NETWORK","msg":"x"}', 'error'],
  ['{"t":{"$date":"x"},"s":"I","c":"NETWORK","msg":"Error count is 0"}', 'info'],
  ['{"text":"nothing said"}', 'info'],
  ['{"broken', 'info'],
  ['WARNING:root:low on disk', 'warn'],
  ['2026-11-15 09:00:00,123 - name - CRITICAL - gone', 'error'],
  ['2026/11/15 09:00:00 [error] 12#12: *1 connect() failed (111: Connection refused)', 'error'],
  ['2026/11/15 09:00:00 [notice] 1#1: start worker process 12', 'info'],
  ['10.0.0.1 - - [15/Nov/2026:09:00:00 +0000] "GET / HTTP/1.1" 502 157 "-" "curl"', 'error'],
  ['10.0.0.1 - - [15/Nov/2026:09:00:00 +0000] "GET /x HTTP/1.1" 404 157', 'warn'],
  ['10.0.0.1 - - "GET / HTTP/1.1" 200', 'info'],
  ['2026-11-15T09:00:00.000000Z 0 [Warning] [MY-010068] [Server] CA certificate is self signed.', 'warn'],
  ['2026-11-15T09:00:00.000000Z 0 [Note] Event Scheduler', 'info'],
  ['1:M 15 Nov 2026 09:00:00.000 # Out Of Memory allocating', 'warn'],
  ['1:M 15 Nov 2026 09:00:00.000 * Ready to accept connections', 'info'],
  ['E1115 09:00:00.000000       1 main.go:12] failed', 'error'],
  ['I1115 09:00:00.000000       1 main.go:12] ERROR count 0', 'info'],
  ['time="2026-11-15T09:00:00Z" level=warning msg="retry"', 'warn'],
  ['[2026-Nov-15 09:00:00.000000] <warning>: (Handler.h:1:f) Failed to connect', 'warn'],
  ['2026-11-15 09:00:00.000 [info] <0.9.0> Server startup complete', 'info'],
  ['panic: runtime error: index out of range', 'error'],
  ['Traceback (most recent call last):', 'error'],
  ['java.lang.NullPointerException: null', 'error'],
  ['TypeError: x is not a function', 'error'],
  ['hello-service listens on port 5000', 'info'],
  ['', 'info'],
])('detects the severity of: %s', (line, severity) => {
  expect(parseSeverity(line)).toBe(severity)
})

it('parses a very long line quickly', () => {
  const long = `${'['.repeat(100_000)}${'"'.repeat(100_000)}`
  expect(parseSeverity(long)).toBe('info')
  expect(parseSeverity(`{${long}`)).toBe('info')
})
