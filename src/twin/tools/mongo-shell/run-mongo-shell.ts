/** The shell of MongoDB: one connection, statements from `--eval` or the input, answers as JSON. */
import { runInNewContext } from 'node:vm'
import { loadMongoShell } from '../../stores/index.ts'
import { createDatabaseWords, ShellCommand, ShellLogin } from './database-words.ts'
import { parseShellOptions } from './shell-options.ts'
import { splitStatements } from './split-statements.ts'

type MongoShell = Awaited<ReturnType<typeof loadMongoShell>>
type Connection = Awaited<ReturnType<MongoShell['openMongoConnection']>>

const toShown = (name: string, value: unknown): unknown =>
  name === '$clusterTime' ? undefined : typeof value === 'bigint' ? Number(value) : value

const show = (value: unknown): string => JSON.stringify(value, toShown, 2) ?? 'undefined'

const collect = async (connection: Connection, database: string, cursor: any): Promise<unknown[]> => {
  const found = [...cursor.firstBatch]
  const collection = String(cursor.ns).slice(database.length + 1)
  for (let { id } = cursor; id; ) {
    const { cursor: next } = await connection.run(database, { getMore: BigInt(id), collection })
    found.push(...next.nextBatch)
    id = next.id
  }
  return found
}

const execute = async (connection: Connection, asked: ShellCommand, current: string): Promise<string> => {
  const database = asked.database ?? current
  const reply = await connection.run(database, asked.command)
  if (asked.shows === 'count') return String(reply.n)
  if (asked.shows === 'users') return show(reply.users)
  if (!reply.cursor || asked.shows === 'reply') return show(reply)
  const found = (await collect(connection, database, reply.cursor)) as Record<string, unknown>[]
  if (asked.shows === 'names') return show(found.map(({ name }) => name))
  if (asked.shows === 'first') return show(found[0] ?? null)
  return found.map((document) => JSON.stringify(document, toShown)).join('\n')
}

/** The one word of the shell that is no expression: `use db`; and what `show` shows. */
const SHOWN: Record<string, () => ShellCommand> = {
  dbs: () => new ShellCommand({ listDatabases: 1 }, 'reply', 'admin'),
  databases: () => new ShellCommand({ listDatabases: 1 }, 'reply', 'admin'),
  collections: () => new ShellCommand({ listCollections: 1 }, 'names'),
  users: () => new ShellCommand({ usersInfo: 1 }, 'users'),
}

const evaluate = (statement: string, { ObjectId }: MongoShell, printed: string[]): unknown => {
  const [, what] = /^show\s+(\w+)$/.exec(statement) ?? []
  if (what && SHOWN[what]) return SHOWN[what]()
  const text = (value: unknown) => (typeof value === 'string' ? value : show(value))
  const words = {
    db: createDatabaseWords(),
    print: (...values: unknown[]) => void printed.push(values.map(text).join(' ')),
    printjson: (value: unknown) => value,
    ISODate: (time?: string) => (time ? new Date(time) : new Date()),
    ObjectId: (hex: string) => new ObjectId(hex),
    Date,
    NumberInt: Number,
    NumberLong: Number,
  }
  return runInNewContext(statement, words, { filename: 'shell', timeout: 1000 })
}

const runScript = async (
  shell: MongoShell,
  connection: Connection,
  script: string,
  start: string,
): Promise<void> => {
  let database = start
  for (const statement of splitStatements(script)) {
    const [, used] = /^use\s+(\S+)$/.exec(statement) ?? []
    if (used) {
      database = used
      console.log(`switched to db ${used}`)
      continue
    }
    const printed: string[] = []
    const value = evaluate(statement, shell, printed)
    for (const line of printed) console.log(line)
    if (value instanceof ShellLogin) {
      await connection.authenticate(value.user, value.password, database)
      console.log('1')
    } else if (value instanceof ShellCommand) {
      const shown = await execute(connection, value, database)
      if (shown !== '') console.log(shown)
    } else if (value !== undefined) console.log(show(value))
  }
}

const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Ends the process with 1 where something is refused. */
export const runMongoShell = async (words: readonly string[]): Promise<void> => {
  try {
    const options = parseShellOptions(words)
    const { host, port, user, password } = options
    const script = options.script ?? (await readInput())
    const shell = await loadMongoShell()
    const address = async () => ({ host, port })
    const connection = await shell.openMongoConnection(
      { address, login: { user, password } },
      options.authenticationDatabase,
    )
    try {
      await runScript(shell, connection, script, options.database)
    } finally {
      connection.close()
    }
  } catch (error) {
    console.error(`Error: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
