/** Tests that stores find foreign content in their files, which a restart would read. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadStoreClient, loadStoreServer, type StoreClient } from './index.ts'

interface Case {
  readonly protocol: string
  write(client: StoreClient, name: string): Promise<unknown>
  /** Whether the store says that its files are intact. */
  check(client: StoreClient): Promise<boolean>
  /** A complete record. */
  readonly foreign: string
}

const sql = (client: StoreClient, statement: string) => client.query({ sql: { statement, parameters: [] } })

const CASES: readonly Case[] = [
  {
    protocol: 'redis',
    write: (client, name) => client.query({ redis: ['SET', name, 'a'] }),
    check: (client) =>
      client.query({ redis: ['DEBUG', 'CHECK-AOF'] }).then(
        () => true,
        () => false,
      ),
    foreign: '*1\r\n$8\r\nFLUSHALL\r\n',
  },
  {
    protocol: 'mongodb',
    write: (client, name) => client.query({ mongo: { insert: 'users', documents: [{ name }], $db: 'shop' } }),
    check: async (client) =>
      ((await client.query({ mongo: { validate: 'users', $db: 'shop' } })) as { readonly valid: boolean })
        .valid,
    foreign: 'garbage',
  },
  {
    protocol: 'mysql',
    write: (client, name) => sql(client, `CREATE TABLE shop.${name} (id INT PRIMARY KEY)`),
    check: async (client) => {
      const rows = await sql(client, 'CHECK TABLE shop.users')
      return (rows as readonly { readonly Msg_text: string }[])[0]?.Msg_text === 'OK'
    },
    foreign: '{"n":99,"chain":"x","time":1,"dropDatabase":"shop"}\n',
  },
]

const start = async ({ protocol }: Case, folder: string) => {
  const startServer = await loadStoreServer(protocol)
  const server = await startServer({
    ...{ port: 0, folder, users: [], databases: ['shop'], environment: { MYSQL_LOG_FOLDER: '/nowhere' } },
    ...{ log: () => undefined, onCommand: () => undefined },
  })
  const createClient = await loadStoreClient(protocol)
  const client = createClient({
    address: async () => ({ host: '127.0.0.1', port: server.port }),
    ...(protocol === 'mysql' ? { login: { user: 'root', password: '' } } : {}),
  })
  const close = async (): Promise<void> => {
    client.close()
    await server.close()
  }
  return { client, close }
}

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stored-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const fileIn = (folder: string): string => join(folder, readdirSync(folder)[0]!)

it.each(CASES)('finds what was appended to a file of $protocol, or replaced in it', async (store) => {
  const folder = makeFolder()
  const first = await start(store, folder)
  await store.write(first.client, 'users')
  expect(await store.check(first.client)).toBe(true)
  await first.close()
  // It reads the file at its start.
  const { client, close } = await start(store, folder)
  onTestFinished(close)
  expect(await store.check(client)).toBe(true)
  const content = readFileSync(fileIn(folder))
  appendFileSync(fileIn(folder), store.foreign)
  expect(await store.check(client)).toBe(false)
  writeFileSync(fileIn(folder), content)
  expect(await store.check(client)).toBe(true)
  content[content.length - 5]! ^= 1
  writeFileSync(fileIn(folder), content)
  expect(await store.check(client)).toBe(false)
  rmSync(fileIn(folder))
  expect(await store.check(client)).toBe(false)
})

it.each(CASES)('accepts the file of $protocol while it writes', async (store) => {
  const { client, close } = await start(store, makeFolder())
  onTestFinished(close)
  await store.write(client, 'users')
  const writes = Array.from({ length: 20 }, (_, index) => store.write(client, `t${index}`))
  expect(await Promise.all(writes.map(() => store.check(client)))).not.toContain(false)
  await Promise.all(writes)
})

it('finds a folder that keeps the next start from replacing the file', async () => {
  const folder = makeFolder()
  const [redis] = CASES
  const { client, close } = await start(redis!, folder)
  onTestFinished(close)
  await redis!.write(client, 'users')
  mkdirSync(`${fileIn(folder)}.new`)
  expect(await redis!.check(client)).toBe(false)
})
