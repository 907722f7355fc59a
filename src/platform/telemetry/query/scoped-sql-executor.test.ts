/** Tests that scoped SQL hides earlier signals and the laboratory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCHEMA } from '../store/schema.ts'
import { createScopedSqlExecutor, openBehindViews } from './scoped-sql-executor.ts'

let folder: string
let execute: (sql: string, since?: number) => readonly unknown[]

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scoped-sql-'))
  const file = join(folder, 'telemetry.sqlite')
  const writer = new DatabaseSync(file)
  writer.exec(`${SCHEMA}
    INSERT INTO logs VALUES (1, 10, 'n', 's', 'p', 'c', 'info', 'old'), (2, 100, 'n', 's', 'p', 'c', 'info', 'main.new');
    INSERT INTO events VALUES (1, 100, 'Normal', 'r', 'PodChaos/x', NULL, 'm', 1), (2, 100, 'Normal', 'r', 'Pod/x', NULL, 'm', 1);
    INSERT INTO spans VALUES (1, 't', 's', NULL, 'op', 'a', 'p', 'client', 10, 1, 'ok', NULL, 'b', '{}'),
      (2, 't', 's', NULL, 'op', 'a', 'p', 'client', 100, 1, 'error', NULL, 'b', '{}');
    INSERT INTO series VALUES (1, 'up', 's', 'p', '{}'), (2, 'gone', 's', 'p', '{}');
    INSERT INTO samples VALUES (1, 1, 100, 3), (2, 2, 10, 4);
    INSERT INTO epochs VALUES (1, 100, 'reset');`)
  writer.close()
  const executeScoped = createScopedSqlExecutor(openBehindViews(file))
  execute = (sql, since = 50) =>
    executeScoped({ sql, parameters: [], maxRows: 100, isGuarded: true }, since).rows
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a query', () => {
  it.each([
    ['SELECT text FROM logs', [{ text: 'main.new' }]],
    [`SELECT text FROM logs WHERE text LIKE '%main.%'`, [{ text: 'main.new' }]],
    ['SELECT object FROM events', [{ object: 'Pod/x' }]],
    ['SELECT count, errors FROM edges', [{ count: 1, errors: 1 }]],
    ['SELECT name, value FROM metrics', [{ name: 'up', value: 3 }]],
    ['SELECT name FROM series', [{ name: 'up' }]],
    ['SELECT value FROM samples', [{ value: 3 }]],
    ['SELECT * FROM epochs', []],
    [`SELECT name FROM pragma_table_info('epochs', 'temp') WHERE cid = 2`, [{ name: 'name' }]],
  ])('%s returns only visible rows', (sql, rows) => {
    expect(execute(sql)).toEqual(rows)
  })

  it.each([
    'SELECT * FROM main.logs',
    'SELECT * FROM "main" . logs',
    `SELECT * FROM 'MAIN'/* */.logs`,
    'SELECT * FROM [main].epochs',
    'WITH events AS (SELECT * FROM `main`.events) SELECT * FROM events',
    'SELECT sql FROM sqlite_temp_schema',
    `SELECT sql FROM 'sqlite_master'`,
    'SELECT sql FROM temp.sqlite_master',
    // SQLite reads everything up to the closing parenthesis as one variable. A parser that takes the quotation
    // mark for the start of a string would miss the name after it.
    `SELECT $a('), text FROM main.logs ORDER BY time -- '`,
    `SELECT @a('), text FROM main.logs -- '`,
    `SELECT :a::b('), text FROM main.logs -- '`,
    `SELECT #a('), text FROM main.logs -- '`,
    `SELECT x'', text FROM/* /* */main/**/.logs /* -- '`,
    'SELECT text FROM main\u00a0.logs',
    'SELECT text FROM main.logs\0 -- ',
    'SELECT text FROM whole_file.logs',
    'SELECT text FROM "WHOLE_FILE" . logs',
    `SELECT $a('), text FROM whole_file.logs -- '`,
    `SELECT * FROM dbstat('whole' || '_file')`,
    `ATTACH 'x' AS other`,
    'DROP VIEW logs',
    'DELETE FROM logs',
  ])('%s is rejected', (sql) => {
    expect(() => execute(sql)).toThrow()
  })

  it('is rejected if a common table expression has the name of the table that it reads', () => {
    const sql = 'WITH logs AS (SELECT text FROM logs) SELECT * FROM logs'
    expect(() => execute(sql)).toThrow('circular reference: logs')
  })

  it('uses the start time of the current call', () => {
    expect(execute('SELECT count(*) AS n FROM logs', 0)).toEqual([{ n: 2 }])
    expect(execute('SELECT count(*) AS n FROM logs', 101)).toEqual([{ n: 0 }])
  })

  it('is rejected if the start time is not a number', () => {
    expect(() => execute('SELECT text FROM logs', Number.NaN)).toThrow(
      'the start of the visible time range must be a number, not NaN',
    )
  })
})
