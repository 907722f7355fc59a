/** Tests the programs `mysql` and `mysqladmin` as processes. */
import { type ExecFileException, execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListeningServer } from '#world/twin/ports'
import { loadStoreServer } from '#world/twin/stores'

let server: ListeningServer

beforeAll(async () => {
  const start = await loadStoreServer('mysql')
  server = await start({
    port: 0,
    users: [{ name: 'shop', password: 'secret', databases: ['ts'] }],
    databases: ['ts'],
    environment: { MYSQL_LOG_FOLDER: '/nowhere' },
    log: () => undefined,
    onCommand: () => undefined,
  })
})

afterAll(() => server.close())

const run = (
  program: string,
  words: readonly string[],
  input = '',
): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const path = fileURLToPath(new URL(`./${program}.ts`, import.meta.url))
    const done = (error: ExecFileException | null, out: string, err: string): void =>
      resolve({ code: Number(error?.code ?? 0), out, err })
    const child = execFile(process.execPath, [path, `-P${server.port}`, ...words], done)
    child.stdin?.end(input)
  })

/** Runs the fast path in bash. */
const runFastPath = (
  program: string,
  words: readonly string[],
  port = server.port,
): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const path = fileURLToPath(new URL(`./${program}.sh`, import.meta.url))
    const env = { ...process.env, MYSQL_TCP_PORT: String(port) }
    execFile('bash', [path, ...words], { env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })

test('runs statements from an option or from stdin, and separates columns with tabs', async () => {
  expect(await run('mysql', ['-uroot', '-e', 'SELECT 1'])).toEqual({ code: 0, out: '1\n1\n', err: '' })
  const input =
    "CREATE TABLE t (a INT, b TEXT);\nINSERT INTO t VALUES (1, 'x\ty'), (2, NULL);\nSELECT * FROM t;"
  expect(await run('mysql', ['-ushop', '-psecret', '-h', '127.0.0.1', 'ts'], input)).toEqual({
    code: 0,
    out: 'a\tb\n1\tx\\ty\n2\tNULL\n',
    err: '',
  })
  expect(await run('mysql', ['--user=root', '-D', 'ts', '-sNe', 'SELECT a FROM t'])).toMatchObject({
    out: '1\n2\n',
  })
  expect(await run('mysql', ['-uroot', 'ts', '-te', 'SELECT * FROM t WHERE a = 1'])).toMatchObject({
    out: '+---+-----+\n| a | b   |\n+---+-----+\n| 1 | x\ty |\n+---+-----+\n',
  })
})

test('reports an error and exits with 1', async () => {
  expect(await run('mysql', ['-ushop', '-pno', '-e', 'SELECT 1'])).toEqual({
    code: 1,
    out: '',
    err: "ERROR 1045 (28000): Access denied for user 'shop'@'localhost' (using password: YES)\n",
  })
  expect(await run('mysql', ['-uroot', '-e', 'SELECT * FROM ts.none'])).toMatchObject({
    code: 1,
    err: "ERROR 1146 (42S02) at line 1: Table 'ts.none' doesn't exist\n",
  })
  expect(await run('mysql', ['-h', '127.0.0.1', '-P', '1', '-e', 'SELECT 1'])).toEqual({
    code: 1,
    out: '',
    err: "ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1' (111)\n",
  })
})

test('reports that a server is alive if it rejects the login, but not if it is down', async () => {
  expect(await run('mysqladmin', ['ping', '-uroot'])).toEqual({ code: 0, out: 'mysqld is alive\n', err: '' })
  expect(await run('mysqladmin', ['-ushop', '-pno', 'ping'])).toMatchObject({ code: 0 })
  expect(await run('mysqladmin', ['ping', '-P', '1'])).toMatchObject({
    code: 1,
    err: expect.stringContaining("error: 'Can't connect to MySQL server on 'localhost' (111)'"),
  })
})

test('succeeds on the fast path only for the usual probes of a healthy server', async () => {
  const failed = { code: 1, out: '', err: '' }
  expect(await runFastPath('mysql', ['-uroot', '-e', 'SELECT 1'])).toEqual({
    code: 0,
    out: '1\n1\n',
    err: '',
  })
  expect(await runFastPath('mysqladmin', ['ping', '-uroot'])).toEqual({
    code: 0,
    out: 'mysqld is alive\n',
    err: '',
  })
  expect(await runFastPath('mysql', ['-uroot', '-e', 'SELECT 2'])).toEqual(failed)
  expect(await runFastPath('mysql', ['-uroot', '-e', 'SELECT 1'], 1)).toEqual(failed)
  expect(await run('mysql', ['-uroot', '-e', "ALTER USER root@localhost IDENTIFIED BY 'x'"])).toMatchObject({
    code: 0,
  })
  expect(await runFastPath('mysql', ['-uroot', '-e', 'SELECT 1'])).toEqual(failed)
  expect(await runFastPath('mysqladmin', ['ping', '-uroot'])).toEqual(failed)
})
