/** Tests of telemetry files: round trips, limits, and read-only access. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createRealClock } from '#kit'
import type { Span } from '#spec'
import { openTelemetry } from '../query/open-telemetry.ts'
import { createSqlReader } from '../query/sql-reader.ts'
import { fillStore } from '../testing/fill-store.ts'
import { SAMPLE_SIGNALS, T0 } from '../testing/sample-signals.ts'
import { describeTelemetryQuery } from '../testing/telemetry-query-contract.ts'
import { createTelemetryStore, type TelemetryStoreOptions } from './create-telemetry-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'telemetry-'))
afterAll(() => rmSync(folder, { recursive: true }))
const clock = createRealClock({ keepsAlive: true })
let fileCount = 0
const createStore = (options: Partial<TelemetryStoreOptions> = {}) => {
  fileCount += 1
  return createTelemetryStore({ file: join(folder, `${fileCount}.sqlite`), clock, ...options })
}

describeTelemetryQuery('over a file that is being written', async (signals) => {
  const store = createStore()
  fillStore(store, signals)
  return { query: store.query, close: store.close }
})

describeTelemetryQuery('over a file that was written before', async (signals) => {
  const store = createStore()
  fillStore(store, signals)
  await store.close()
  const { query, close } = openTelemetry(store.file)
  return { query, close }
})

const longLine = (n: number) => ({
  ...SAMPLE_SIGNALS.logs[0]!,
  time: T0 + n,
  text: `${n} ${'x'.repeat(500)}`,
})

describe('createTelemetryStore', () => {
  it('leaves a single file when it is closed', async () => {
    const store = createStore()
    fillStore(store, SAMPLE_SIGNALS)
    store.mark('ready')
    await store.close()
    await store.close()
    const name = store.file.split('/').at(-1)!
    expect(readdirSync(folder).filter((file) => file.startsWith(name))).toEqual([name])
    const database = new DatabaseSync(store.file, { readOnly: true })
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' })
    expect(database.prepare('SELECT name FROM epochs').all()).toEqual([{ name: 'ready' }])
    expect(database.prepare('SELECT sum(dropped + evicted) AS lost FROM losses').get()).toEqual({ lost: 0 })
    database.close()
  })

  it('has no extent without signals', async () => {
    const store = createStore()
    expect(await store.query.extent()).toBeUndefined()
    expect(await store.query.graph()).toEqual([])
    await store.close()
  })

  it('drops and counts signals above the queue limit and after close', async () => {
    const store = createStore({ maxQueued: 10 })
    store.logs(SAMPLE_SIGNALS.logs)
    store.metrics(SAMPLE_SIGNALS.metrics.slice(0, 2))
    expect(store.dropped()).toMatchObject({ logs: 50, metrics: 2, spans: 0 })
    expect(await store.query.logs()).toHaveLength(10)
    await store.close()
    store.logs(SAMPLE_SIGNALS.logs)
    expect(store.dropped().logs).toBe(110)
  })

  it('evicts the oldest rows of the largest table to stay within the maximum size', async () => {
    const maxBytes = 2 ** 20
    const store = createStore({ maxBytes })
    fillStore(store, SAMPLE_SIGNALS)
    for (let round = 0; round < 12; round += 1) {
      store.logs(Array.from({ length: 400 }, (_, n) => longLine(round * 400 + n)))
      await store.flush()
    }
    const newest = await store.query.logs({ limit: 1 })
    expect(newest[0]!.text.startsWith('4799 ')).toBe(true)
    expect(store.evicted().logs).toBeGreaterThan(2000)
    expect(store.evicted().spans).toBe(0)
    expect(await store.query.spans({ limit: 1000 })).toHaveLength(SAMPLE_SIGNALS.spans.length)
    await store.close()
    expect(statSync(store.file).size).toBeLessThanOrEqual(maxBytes)
    expect(store.dropped()).toMatchObject({ logs: 0 })
  })

  it('drops a batch above the maximum size and continues', async () => {
    const errors: string[] = []
    const store = createStore({ maxBytes: 2 ** 20, onError: ({ message }) => errors.push(message) })
    store.metrics(SAMPLE_SIGNALS.metrics)
    store.logs(Array.from({ length: 5000 }, (_, n) => longLine(n)))
    await store.flush()
    expect(store.dropped().logs).toBe(5000)
    expect(errors).toEqual(['telemetry was not written: database or disk is full'])
    fillStore(store, SAMPLE_SIGNALS)
    expect(await store.query.metric('node_load1')).toHaveLength(12)
    await store.close()
  })

  it('limits the length of queued text and of labels', async () => {
    const store = createStore()
    store.logs(Array.from({ length: 2000 }, (_, n) => ({ ...longLine(n), text: 'x'.repeat(30_000) })))
    expect(store.dropped().logs).toBeGreaterThan(1400)
    await store.flush()
    const labels = (n: number) => ({ n: String(n), long: 'y'.repeat(4000) })
    store.metrics(
      Array.from({ length: 10_000 }, (_, n) => ({ time: T0, name: 'm', labels: labels(n), value: n })),
    )
    expect(store.dropped().metrics).toBeGreaterThan(5000)
    // Known series are still accepted.
    const before = store.dropped().metrics
    store.metrics([{ time: T0 + 1, name: 'm', labels: labels(0), value: 7 }])
    expect(store.dropped().metrics).toBe(before)
    await store.close()
  })

  it.skipIf(process.getuid?.() !== 0)('rejects queries after signals were lost on a full disk', async () => {
    const disk = join(folder, 'small-disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'small-disk', disk])
    try {
      const store = createStore({ file: join(disk, 'a.sqlite') })
      store.logs(Array.from({ length: 5000 }, (_, n) => longLine(n)))
      await expect(store.flush()).rejects.toMatchObject({
        code: 'record-lost',
        blame: 'harness',
        message: `The telemetry file ${store.file} cannot be written: database or disk is full.`,
      })
      await expect(store.query.graph()).rejects.toMatchObject({ code: 'record-lost' })
      await store.close()
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  })

  it('reports a file that cannot be written', async () => {
    const errors: string[] = []
    const store = createTelemetryStore({
      file: join(folder, 'missing', 'a.sqlite'),
      clock,
      onError: ({ message }) => errors.push(message),
    })
    const lostError = { code: 'record-lost', blame: 'harness' }
    await expect(store.flush()).rejects.toMatchObject(lostError)
    expect(errors[0]).toContain('unable to open database file')
    store.mark('ready')
    await expect(store.query.graph()).rejects.toMatchObject(lostError)
    await expect(store.sql('SELECT 1')).rejects.toMatchObject(lostError)
    await store.close()
  })
})

describe('forged spans', () => {
  const createSpans = (count: number, fields: (n: number) => Partial<Span>): Span[] =>
    Array.from({ length: count }, (_, n) => ({ ...SAMPLE_SIGNALS.spans[0]!, ...fields(n) }))

  it('do not multiply calls if several spans have the same id as the parent', async () => {
    const store = createStore()
    const [spanId, parentId] = ['a'.repeat(16), 'b'.repeat(16)]
    store.spans(createSpans(300, () => ({ spanId: parentId, service: 'shop' })))
    store.spans(createSpans(200, () => ({ spanId, parentId, service: 'mail', kind: 'consumer' })))
    store.spans(createSpans(1, () => ({ spanId, parentId: 'c'.repeat(16), kind: 'consumer' })))
    expect(await store.query.graph()).toMatchObject([{ from: 'shop', to: 'mail', count: 200 }])
    const { rows } = await store.sql('SELECT caller, callee, count FROM edges')
    expect(rows).toEqual([{ caller: 'shop', callee: 'mail', count: 200 }])
    await store.close()
  })

  it('do not hide a failing edge behind many peers', async () => {
    const store = createStore()
    store.spans(createSpans(6000, (n) => ({ kind: 'client', peer: `a${n % 3000}` })))
    store.spans(createSpans(1, () => ({ kind: 'client', peer: 'stock', status: 'error' })))
    const edges = await store.query.graph()
    expect(edges).toHaveLength(1000)
    expect(edges.at(-1)).toMatchObject({ from: 'web', to: 'stock', count: 1, errors: 1 })
    await store.close()
  })

  it('do not exceed the limits on endpoints and spans of a trace', async () => {
    const store = createStore()
    store.spans(createSpans(11_000, (n) => ({ name: `GET /${n}` })))
    expect(await store.query.endpoints()).toHaveLength(10_000)
    expect(await store.query.trace(SAMPLE_SIGNALS.spans[0]!.traceId)).toHaveLength(2000)
    await store.close()
  })
})

describe('SQL over telemetry', () => {
  let opened: ReturnType<typeof openTelemetry>
  beforeAll(async () => {
    const store = createStore()
    fillStore(store, SAMPLE_SIGNALS)
    await store.close()
    opened = openTelemetry(store.file)
  })
  afterAll(() => opened.close())

  it('accepts parameters and returns columns', async () => {
    const store = createStore()
    fillStore(store, SAMPLE_SIGNALS)
    expect(await store.sql('SELECT caller, callee, errors FROM edges WHERE caller = ?', ['web'])).toEqual({
      columns: ['caller', 'callee', 'errors'],
      rows: [{ caller: 'web', callee: 'cart', errors: 6 }],
      truncated: false,
    })
    const { rows } = await store.sql('SELECT name, service, pod, value FROM metrics LIMIT 1')
    expect(rows).toEqual([{ name: 'requests_served_total', service: 'web', pod: 'web-0', value: 0 }])
    expect((await store.sql(`SELECT name FROM pragma_table_info('spans') LIMIT 2`)).rows).toHaveLength(2)
    expect((await store.sql('SELECT a.id FROM spans a, spans b')).truncated).toBe(true)
    await store.close()
  })

  it.each([
    'DELETE FROM spans',
    'DROP TABLE spans',
    `ATTACH 'other.sqlite' AS other`,
    `VACUUM INTO 'copy.sqlite'`,
    'PRAGMA query_only = FALSE',
    'PRAGMA writable_schema = TRUE',
    `SELECT load_extension('libm.so.6')`,
    `SELECT length(hex(zeroblob(499000000)) || hex(zeroblob(1000000)))`,
    'CREATE TEMP TABLE mine (a)',
    'WITH old AS (SELECT id FROM spans) DELETE FROM spans WHERE id IN old',
    'SELECT 1; DELETE FROM spans',
    'SELEC 1',
    'SELECT missing FROM spans',
  ])('rejects %s', async (text) => {
    await expect(opened.sql(text)).rejects.toMatchObject({
      code: 'bad-argument',
      message: expect.stringMatching(/^The query failed: /),
    })
    expect((await opened.sql('SELECT count(*) AS n FROM spans -- all')).rows).toEqual([
      { n: SAMPLE_SIGNALS.spans.length },
    ])
    expect(existsSync('copy.sqlite')).toBe(false)
  })

  it('reports a reader process that cannot be started', async () => {
    const reader = createSqlReader({ file: fileCount.toString(), clock })
    vi.stubEnv('PATH', join(folder, 'nothing'))
    try {
      await expect(reader.sql('SELECT 1')).rejects.toThrow('the reader process has ended')
    } finally {
      vi.unstubAllEnvs()
      await reader.close()
    }
  })

  it('stops an endless query and runs the next one', async () => {
    const store = createStore()
    await store.flush()
    const reader = createSqlReader({ file: store.file, clock, timeoutMs: 2000 })
    await reader.sql('SELECT 1')
    const endless = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    await expect(reader.sql(endless)).rejects.toThrow('the query took longer than 2 s')
    expect((await reader.rows('SELECT 2 AS two', []))[0]).toEqual({ two: 2 })
    await reader.close()
    await expect(reader.sql('SELECT 1')).rejects.toThrow('the telemetry file was closed')
    await store.close()
  })
})

describe('openTelemetry', () => {
  it('rejects missing files and files of other programs', () => {
    const foreign = join(folder, 'foreign.sqlite')
    const database = new DatabaseSync(foreign)
    database.exec('CREATE TABLE a (b)')
    database.close()
    expect(() => openTelemetry(foreign)).toThrow(`${foreign} is not a telemetry file of Remedium.`)
    const text = join(folder, 'text')
    writeFileSync(text, 'no database at all '.repeat(100))
    expect(() => openTelemetry(text)).toThrow(`${text} is not a telemetry file of Remedium.`)
    expect(() => openTelemetry(join(folder, 'nothing'))).toThrow('nothing does not exist.')
  })

  it('rejects a file of a newer version', async () => {
    const store = createStore()
    await store.close()
    const database = new DatabaseSync(store.file)
    database.exec('PRAGMA user_version = 3')
    database.close()
    expect(() => openTelemetry(store.file)).toThrow('has version 3 of the telemetry tables')
  })

  it('reports a truncated file as damaged', async () => {
    const store = createStore()
    fillStore(store, SAMPLE_SIGNALS)
    await store.close()
    truncateSync(store.file, 3 * 4096)
    expect(() => openTelemetry(store.file)).toThrow('is damaged: database disk image is malformed.')
  })
})
