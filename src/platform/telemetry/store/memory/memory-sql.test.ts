/** Tests of SQL over the store in memory. */
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { fillStore } from '../../testing/fill-store.ts'
import { SAMPLE_SIGNALS, T0 } from '../../testing/sample-signals.ts'
import { createMemoryTelemetryStore, type MemoryTelemetryStore } from './create-memory-telemetry-store.ts'

const SINCE = T0 + 30_000
const clock = createVirtualClock(T0 + 60_000)
let store: MemoryTelemetryStore
beforeEach(() => {
  store = createMemoryTelemetryStore({ clock })
  fillStore(store, SAMPLE_SIGNALS)
  store.mark('ready')
})
afterEach(() => store.close())

const evaluate = async (expression: string, scope?: { since: number }): Promise<unknown> =>
  (await store.sql(`SELECT ${expression} AS value`, [], scope)).rows[0]!.value

describe('SQL in memory', () => {
  it('has the rows of every table and view', async () => {
    const { rows } = await store.sql(
      `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1`,
    )
    const names = rows.map(({ name }) => String(name))
    const counts: Record<string, unknown> = {}
    for (const name of names) {
      // A separate store, because earlier queries fill tables.
      const fresh = createMemoryTelemetryStore({ clock })
      fresh.restore(store.snapshot())
      counts[name] = (await fresh.sql(`SELECT count(*) AS n FROM ${name.toUpperCase()}`)).rows[0]!.n
      await fresh.close()
    }
    const { spans, logs, metrics, events, requests, journeys } = SAMPLE_SIGNALS
    expect(counts).toEqual({
      alerts: 2,
      edge_calls: 168,
      edges: 3,
      endpoints: 3,
      epochs: 1,
      events: events.length,
      journeys: journeys.length,
      logs: logs.length,
      losses: 0,
      metrics: metrics.length,
      requests: requests.length,
      samples: metrics.length,
      series: 3,
      spans: spans.length,
    })
  })

  it('accepts parameters and returns columns', async () => {
    expect(await store.sql('SELECT caller, callee, errors FROM edges WHERE caller = ?', ['web'])).toEqual({
      columns: ['caller', 'callee', 'errors'],
      rows: [{ caller: 'web', callee: 'cart', errors: 6 }],
      truncated: false,
    })
  })

  it('continues after a result that was truncated', async () => {
    expect((await store.sql('SELECT a.id FROM spans a, spans b')).truncated).toBe(true)
    store.spans(SAMPLE_SIGNALS.spans)
    expect(await evaluate('(SELECT count(*) FROM spans)')).toBe(2 * SAMPLE_SIGNALS.spans.length)
  })

  it.each([
    'DELETE FROM spans',
    'DROP TABLE spans',
    `ATTACH 'other.sqlite' AS other`,
    `VACUUM INTO 'copy.sqlite'`,
    'PRAGMA query_only = FALSE',
    'CREATE TEMP TABLE mine (a)',
    'SELECT 1; DELETE FROM spans',
    'SELECT missing FROM spans',
  ])('rejects %s', async (text) => {
    for (const scope of [undefined, { since: SINCE }])
      await expect(store.sql(text, [], scope)).rejects.toMatchObject({
        code: 'bad-argument',
        message: expect.stringMatching(/^The query failed: /),
      })
    expect(await evaluate('(SELECT count(*) FROM spans)')).toBe(SAMPLE_SIGNALS.spans.length)
    expect(['copy.sqlite', 'other.sqlite', 'telemetry-0-1'].some(existsSync)).toBe(false)
  })
})

describe('scoped SQL in memory', () => {
  it('hides earlier signals, epochs and the tables behind the views', async () => {
    expect(await evaluate('(SELECT count(*) FROM logs)', { since: SINCE })).toBe(30)
    expect(await evaluate('(SELECT max(time) FROM metrics)', { since: SINCE })).toBe(T0 + 55_000)
    expect(await evaluate('(SELECT count(*) FROM epochs)', { since: SINCE })).toBe(0)
    expect(await evaluate('(SELECT count(*) FROM logs)', { since: T0 })).toBe(60)
    for (const name of ['main.logs', 'whole_file.logs', 'sqlite_schema'])
      await expect(store.sql(`SELECT * FROM ${name}`, [], { since: SINCE })).rejects.toThrow(
        'The query failed',
      )
  })

  it('ends a query that reads too many rows, and runs the next one', async () => {
    const join = 'SELECT count(*) FROM spans a, spans b, spans c WHERE a.id + b.id = c.id + 0.5'
    await expect(store.sql(join, [], { since: T0 })).rejects.toThrow('the query reads too many rows')
    expect(await evaluate('(SELECT count(*) FROM spans)', { since: T0 })).toBe(SAMPLE_SIGNALS.spans.length)
  })

  it('denies recursion, which cannot be interrupted', async () => {
    const endless = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    await expect(store.sql(endless, [], { since: T0 })).rejects.toThrow('not authorized')
  })
})

describe('functions of the machine', () => {
  it.each([undefined, { since: T0 }])('use the clock of the cluster (scope %j)', async (scope) => {
    const day = '2026-03-01'
    for (const [expression, value] of [
      [`datetime('now')`, `${day} 12:01:00`],
      ['datetime()', `${day} 12:01:00`],
      [`datetime('NOW', '-1 minute')`, `${day} 12:00:00`],
      [`datetime('subsec')`, `${day} 12:01:00.000`],
      [`datetime('2020-02-03 04:05:06')`, '2020-02-03 04:05:06'],
      [`datetime(${T0 / 1000}, 'unixepoch')`, `${day} 12:00:00`],
      [`date('now')`, day],
      [`time('now')`, '12:01:00'],
      [`unixepoch('now')`, T0 / 1000 + 60],
      [`unixepoch('now') / 7`, Math.floor((T0 / 1000 + 60) / 7)],
      [`strftime('%Y now', 'now')`, '2026 now'],
      [`strftime('%H:%M')`, '12:01'],
      [`typeof(julianday('now'))`, 'real'],
      [`timediff('now', '${day} 12:00:00')`, '+0000-00-00 00:01:00.000'],
      ['CURRENT_TIMESTAMP', `${day} 12:01:00`],
      ['CURRENT_DATE', day],
      ['CURRENT_TIME', '12:01:00'],
      [`datetime('nonsense')`, null],
    ])
      expect([expression, await evaluate(String(expression), scope)]).toEqual([expression, value])
    const recent = `SELECT count(*) AS n FROM logs WHERE time > (unixepoch('now') - 10) * 1000`
    expect((await store.sql(recent, [], scope)).rows).toEqual([{ n: 10 }])
  })

  it('draw the same random numbers in every query', async () => {
    const draw = 'SELECT id FROM logs ORDER BY random() LIMIT 5'
    const first = await store.sql(draw)
    expect(await store.sql(draw)).toEqual(first)
    expect(first.rows).not.toEqual([1, 2, 3, 4, 5].map((id) => ({ id })))
    expect(await evaluate('random() = random()')).toBe(0)
    expect(await evaluate('length(randomblob(4))')).toBe(4)
    expect(await evaluate('hex(randomblob(4))')).toBe(await evaluate('hex(randomblob(4))'))
  })
})
