/** Tests the program `redis-cli` as a process. */
import { type ExecFileException, execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListeningServer } from '#world/twin/ports'
import { loadStoreServer } from '#world/twin/stores'

const PROGRAM = fileURLToPath(new URL('./redis-cli.ts', import.meta.url))

let server: ListeningServer

beforeAll(async () => {
  const start = await loadStoreServer('redis')
  server = await start({
    port: 0,
    users: [{ name: 'default', password: 'secret' }],
    databases: [],
    environment: {},
    log: () => undefined,
    onCommand: () => undefined,
  })
})

afterAll(() => server.close())

const run = (words: readonly string[], input = ''): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const done = (error: ExecFileException | null, out: string, err: string): void =>
      resolve({ code: Number(error?.code ?? 0), out, err })
    const child = execFile(process.execPath, [PROGRAM, '-p', String(server.port), ...words], done)
    child.stdin?.end(input)
  })

test('runs one command, or commands from stdin', async () => {
  expect(await run(['-a', 'secret', 'SET', 'a', 'one two'])).toMatchObject({ code: 0, out: 'OK\n' })
  expect(await run(['-a', 'secret'], 'get a\nSET b "x y"\nMGET a b\n')).toMatchObject({
    code: 0,
    out: 'one two\nOK\none two\nx y\n',
  })
  expect(await run(['GET', 'a'])).toMatchObject({ code: 1, out: 'NOAUTH Authentication required.\n' })
  expect(await run(['-p', '1', 'PING'])).toEqual({
    code: 1,
    out: '',
    err: 'Could not connect to Redis at 127.0.0.1:1: Connection refused\n',
  })
})
