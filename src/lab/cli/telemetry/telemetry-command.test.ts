/** Tests of `remedium telemetry` with a file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealClock } from '#kit'
import { createTelemetryStore } from '#platform/telemetry'
import type { Span } from '#spec'
import { runCommand } from '../testing/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'telemetry-command-'))
const file = join(folder, 'kept.sqlite')
const T0 = Date.UTC(2026, 2, 1, 12)
const TRACE = 'a'.repeat(32)

const span = (fields: Partial<Span>): Span => ({
  traceId: TRACE,
  spanId: '1'.repeat(16),
  name: 'GET /',
  service: 'web',
  pod: 'web-0',
  kind: 'server' as const,
  start: T0,
  durationMs: 12.34,
  status: 'ok' as const,
  attributes: {},
  ...fields,
})

beforeAll(async () => {
  const store = createTelemetryStore({ file, clock: createRealClock({ keepsAlive: true }) })
  store.spans([
    span({ status: 'error', message: 'cart is down' }),
    span({
      spanId: '2'.repeat(16),
      parentId: '1'.repeat(16),
      kind: 'client',
      peer: 'cart',
      name: 'GetCart',
      start: T0 + 1,
      durationMs: 5,
      status: 'error',
      message: 'refused',
    }),
    span({ traceId: 'b'.repeat(32), spanId: '3'.repeat(16), start: T0 + 60_000, durationMs: 700 }),
  ])
  store.logs(
    ['info', 'error'].map((severity, index) => ({
      time: T0 + index,
      namespace: 'shop',
      service: 'web',
      pod: 'web-0',
      container: 'c',
      severity: severity as 'info',
      text: `it is ${severity}`,
    })),
  )
  store.metrics([{ time: T0, name: 'up', labels: { service: 'web', pod: 'web-0' }, value: 1 }])
  store.events([
    { time: T0, type: 'Warning', reason: 'BackOff', object: 'Pod/web-0', message: 'Back-off', count: 3 },
  ])
  store.journeys([
    { journey: 'buy', run: 0, intended: T0, started: T0, latencyMs: 30, ok: false, failedAt: 'pay' },
  ])
  store.alert({ name: 'PodNotReady', severity: 'page', labels: { pod: 'web-0' }, summary: 'not', raised: T0 })
  await store.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]) => runCommand('telemetry', ...args)

describe('remedium telemetry', () => {
  it.each<[string[], string]>([
    [['services'], 'web'],
    [['graph'], 'web   cart  1      0.02        1       100.00 %    5.0     5.0     5.0'],
    [['endpoints'], 'web      GET /     2      0.03        1       50.00 %     12.3    12.3    12.3'],
    [['journeys'], 'buy      1      0.02        1       100.00 %    30.0    30.0    30.0'],
    [['logs', '--severity', 'warn'], '2026-03-01T12:00:00.001Z web-0 error it is error'],
    [['logs', '--contains', 'info'], '2026-03-01T12:00:00.000Z web-0 info  it is info'],
    [
      ['traces', '--slower', '500'],
      `${'b'.repeat(32)}  2026-03-01T12:01:00.000Z  web      GET /      700.0  1      ok`,
    ],
    [['traces', '--failed'], `${TRACE}  2026-03-01T12:00:00.000Z  web      GET /      12.3  2      error`],
    [
      ['traces', '--failed', '--slower', '10'],
      `${TRACE}  2026-03-01T12:00:00.000Z  web      GET /      12.3  2      error`,
    ],
    [['errors'], `1      2026-03-01T12:00:00.000Z  web      GET /      ${TRACE}  cart is down`],
    [['metrics'], 'up'],
    [['metrics', 'up'], '2026-03-01T12:00:00.000Z  1      pod=web-0 service=web'],
    [['events'], '2026-03-01T12:00:00.000Z  Warning  BackOff  Pod/web-0  3      Back-off'],
    [['alerts'], '2026-03-01T12:00:00.000Z  active   page      PodNotReady  pod=web-0  not'],
    [['sql', 'SELECT caller, callee FROM edges'], 'web     cart'],
  ])('answers %j', async (args, line) => {
    const { code, out, err } = await run(file, ...args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\n')).toContain(line)
  })

  it('shows a trace as a tree', async () => {
    expect((await run(file, 'trace', TRACE)).out).toBe(
      [
        '     +0.0 ms      12.3 ms  web GET / (server)  ERROR: cart is down',
        '     +1.0 ms       5.0 ms    web GetCart -> cart (client)  ERROR: refused',
        '',
      ].join('\n'),
    )
  })

  it('prints results as JSON', async () => {
    const { out } = await run(file, 'graph', '--json', '--from', '2026-03-01T11:59:00Z', '--to', '1s')
    expect(JSON.parse(out).edges).toMatchObject([{ from: 'web', to: 'cart', count: 1 }])
    expect(JSON.parse((await run(file, 'sql', 'SELECT 1 AS one', '--json')).out)).toEqual({
      columns: ['one'],
      rows: [{ one: 1 }],
      truncated: false,
    })
  })

  it('reports an empty result', async () => {
    expect((await run(file, 'graph', '--from', '10s')).out).toBe('No results.\n')
    expect((await run(file, 'endpoints', '--service', 'cart')).out).toBe('No results.\n')
  })

  const OPTIONS = {
    from: ['5m'],
    to: ['1ms'],
    service: ['web'],
    limit: ['5'],
    severity: ['warn'],
    contains: ['it'],
    pod: ['web-0'],
    failed: [],
    slower: ['1'],
  }
  const TIMES = ['from', 'to']
  const SIGNALS = [...TIMES, 'service', 'limit']
  it.each<[string[], string, string[]]>([
    [['services'], '"services"', TIMES],
    [['graph'], '"graph"', TIMES],
    [['endpoints'], '"endpoints"', SIGNALS],
    [['journeys'], '"journeys"', TIMES],
    [['logs'], '"logs"', [...SIGNALS, 'severity', 'contains', 'pod']],
    [['traces'], '"traces"', [...SIGNALS, 'failed', 'slower']],
    [['trace', TRACE], '"trace"', []],
    [['errors'], '"errors"', SIGNALS],
    [['metrics'], '"metrics" without an argument', TIMES],
    [['metrics', 'up'], '"metrics"', SIGNALS],
    [['events'], '"events"', SIGNALS],
    [['alerts'], '"alerts"', TIMES],
    [['sql', 'SELECT 1'], '"sql"', []],
  ])('rejects options that %j does not use', async (view, name, valid) => {
    const list = valid.map((option) => `--${option}`).join(', ')
    const hint = valid.length === 0 ? 'It has no options.' : `Its options are: ${list}.`
    for (const [option, value] of Object.entries(OPTIONS).filter(([other]) => !valid.includes(other))) {
      const { code, err } = await run(file, ...view, `--${option}`, ...value)
      expect({ code, err }).toEqual({
        code: 2,
        err: `remedium: The view ${name} does not use --${option}. ${hint}\n`,
      })
    }
  })

  it.each<[string[], string]>([
    [[], 'Name a cluster or a file, and one view.'],
    [[file], 'Name a cluster or a file, and one view.'],
    [[file, 'gossip'], 'There is no view "gossip". The views are: services, graph,'],
    [[file, 'constructor'], 'There is no view "constructor".'],
    [[file, 'trace'], 'The view "trace" requires the argument ID.'],
    [[file, 'services', 'cart'], 'The view "services" takes no argument.'],
    [[file, 'trace', 'c'.repeat(32)], `There is no trace "${'c'.repeat(32)}".`],
    [[file, 'logs', '--limit', '0'], '--limit must be 1 to 1000000, but "0" was given.'],
    [
      [file, 'logs', '--severity', 'loud'],
      '--severity must be debug, info, warn or error, but "loud" was given.',
    ],
    [[file, 'logs', '--from', 'yesterday'], '--from must be a time such as'],
    [[file, 'logs', '--from', '1s', '--to', '5s'], '--from must be before --to.'],
    [[file, 'sql', 'DELETE FROM spans'], 'The query failed: not authorized.'],
    [['./missing.sqlite', 'logs'], 'The telemetry file '],
    [[import.meta.filename, 'logs'], 'is not a telemetry file of Remedium.'],
    [['missing-cluster', 'logs'], 'There is no cluster "missing-cluster".'],
  ])('rejects %j in one sentence', async (args, sentence) => {
    const { code, out, err } = await run(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(sentence)
  })
})
