/** The MongoDB shell: runs statements from `--eval` or stdin on one connection and prints replies as JSON. */
import { runInNewContext } from 'node:vm'
import { loadMongoConnection } from '#world/twin/stores'
import { createShellDatabase, ShellCommand, ShellLogin } from './shell-database.ts'
import { parseShellOptions } from './shell-options.ts'
import { splitStatements } from './split-statements.ts'

type MongoLibrary = Awaited<ReturnType<typeof loadMongoConnection>>
type Connection = Awaited<ReturnType<MongoLibrary['openMongoConnection']>>

const toPrintable = (name: string, value: unknown): unknown =>
  name === '$clusterTime' ? undefined : typeof value === 'bigint' ? Number(value) : value

const format = (value: unknown): string => JSON.stringify(value, toPrintable, 2) ?? 'undefined'

const fetchAll = async (connection: Connection, database: string, cursor: any): Promise<unknown[]> => {
  const documents = [...cursor.firstBatch]
  const collection = String(cursor.ns).slice(database.length + 1)
  for (let { id } = cursor; id; ) {
    const { cursor: next } = await connection.run(database, { getMore: BigInt(id), collection })
    documents.push(...next.nextBatch)
    id = next.id
  }
  return documents
}

const execute = async (
  connection: Connection,
  shellCommand: ShellCommand,
  current: string,
): Promise<string> => {
  const database = shellCommand.database ?? current
  const reply = await connection.run(database, shellCommand.command)
  if (shellCommand.output === 'count') return String(reply.n)
  if (shellCommand.output === 'users') return format(reply.users)
  if (!reply.cursor || shellCommand.output === 'reply') return format(reply)
  const documents = (await fetchAll(connection, database, reply.cursor)) as Record<string, unknown>[]
  if (shellCommand.output === 'names') return format(documents.map(({ name }) => name))
  if (shellCommand.output === 'first') return format(documents[0] ?? null)
  return documents.map((document) => JSON.stringify(document, toPrintable)).join('\n')
}

/** The commands of `show`. Besides `use`, it is the only statement that is not an expression. */
const SHOW_COMMANDS: Record<string, () => ShellCommand> = {
  dbs: () => new ShellCommand({ listDatabases: 1 }, 'reply', 'admin'),
  databases: () => new ShellCommand({ listDatabases: 1 }, 'reply', 'admin'),
  collections: () => new ShellCommand({ listCollections: 1 }, 'names'),
  users: () => new ShellCommand({ usersInfo: 1 }, 'users'),
}

const evaluate = (statement: string, { ObjectId }: MongoLibrary, printed: string[]): unknown => {
  const [, subject] = /^show\s+(\w+)$/.exec(statement) ?? []
  if (subject && SHOW_COMMANDS[subject]) return SHOW_COMMANDS[subject]()
  const toText = (value: unknown) => (typeof value === 'string' ? value : format(value))
  const globals = {
    db: createShellDatabase(),
    print: (...values: unknown[]) => void printed.push(values.map(toText).join(' ')),
    printjson: (value: unknown) => value,
    ISODate: (time?: string) => (time ? new Date(time) : new Date()),
    ObjectId: (hex: string) => new ObjectId(hex),
    Date,
    NumberInt: Number,
    NumberLong: Number,
  }
  return runInNewContext(statement, globals, { filename: 'shell', timeout: 1000 })
}

const runScript = async (
  library: MongoLibrary,
  connection: Connection,
  script: string,
  initialDatabase: string,
): Promise<void> => {
  let database = initialDatabase
  for (const statement of splitStatements(script)) {
    const [, selected] = /^use\s+(\S+)$/.exec(statement) ?? []
    if (selected) {
      database = selected
      console.log(`switched to db ${selected}`)
      continue
    }
    const printed: string[] = []
    const value = evaluate(statement, library, printed)
    for (const line of printed) console.log(line)
    if (value instanceof ShellLogin) {
      await connection.authenticate(value.user, value.password, database)
      console.log('1')
    } else if (value instanceof ShellCommand) {
      const output = await execute(connection, value, database)
      if (output !== '') console.log(output)
    } else if (value !== undefined) console.log(format(value))
  }
}

const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Exits with 1 after an error. */
export const runMongoShell = async (args: readonly string[]): Promise<void> => {
  try {
    const options = parseShellOptions(args)
    const { host, port, user, password } = options
    const script = options.script ?? (await readInput())
    const library = await loadMongoConnection()
    const address = async () => ({ host, port })
    const connection = await library.openMongoConnection(
      { address, login: { user, password } },
      options.authenticationDatabase,
    )
    try {
      await runScript(library, connection, script, options.database)
    } finally {
      connection.close()
    }
  } catch (error) {
    console.error(`Error: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
