/** The MongoDB shell, apart from how it connects, reads its input and evaluates statements: it prints replies as JSON. */
import type { MongoConnection } from '#world/twin/stores'
import type { ToolOutcome } from '../tool-outcome.ts'
import { createShellDatabase, ShellCommand, ShellLogin } from './shell-database.ts'
import { parseShellOptions, type ShellOptions } from './shell-options.ts'
import { splitStatements } from './split-statements.ts'

/** The names that statements can use, apart from `Date`. Those of `functions` are called without `new`. */
export interface ShellGlobals {
  readonly db: object
  readonly functions: Readonly<Record<string, (...values: any[]) => unknown>>
}

export interface MongoSurroundings {
  /** Connects and logs in. */
  open(options: ShellOptions): Promise<MongoConnection>
  readInput(): Promise<string>
  /** Evaluates a statement, which is an expression in JavaScript. */
  evaluate(statement: string, globals: ShellGlobals): unknown
  createId(hex: string): unknown
  now(): number
}

const toPrintable = (name: string, value: unknown): unknown =>
  name === '$clusterTime' ? undefined : typeof value === 'bigint' ? Number(value) : value

const format = (value: unknown): string => JSON.stringify(value, toPrintable, 2) ?? 'undefined'

const fetchAll = async (connection: MongoConnection, database: string, cursor: any): Promise<unknown[]> => {
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
  connection: MongoConnection,
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

const evaluateStatement = (
  statement: string,
  { evaluate, createId, now }: MongoSurroundings,
  print: (line: string) => void,
): unknown => {
  const [, subject] = /^show\s+(\w+)$/.exec(statement) ?? []
  if (subject && SHOW_COMMANDS[subject]) return SHOW_COMMANDS[subject]()
  const toText = (value: unknown) => (typeof value === 'string' ? value : format(value))
  return evaluate(statement, {
    db: createShellDatabase(),
    functions: {
      print: (...values) => void print(values.map(toText).join(' ')),
      printjson: (value) => value,
      ISODate: (time?: string) => new Date(time ? time : now()),
      ObjectId: (hex) => createId(hex),
      NumberInt: Number,
      NumberLong: Number,
    },
  })
}

const runScript = async (
  connection: MongoConnection,
  script: string,
  initialDatabase: string,
  surroundings: MongoSurroundings,
  print: (line: string) => void,
): Promise<void> => {
  let database = initialDatabase
  for (const statement of splitStatements(script)) {
    const [, selected] = /^use\s+(\S+)$/.exec(statement) ?? []
    if (selected) {
      database = selected
      print(`switched to db ${selected}`)
      continue
    }
    const value = evaluateStatement(statement, surroundings, print)
    if (value instanceof ShellLogin) {
      await connection.authenticate(value.user, value.password, database)
      print('1')
    } else if (value instanceof ShellCommand) {
      const output = await execute(connection, value, database)
      if (output !== '') print(output)
    } else if (value !== undefined) print(format(value))
  }
}

/** The code is 1 after an error. */
export const runMongoShell = async (
  args: readonly string[],
  surroundings: MongoSurroundings,
): Promise<ToolOutcome> => {
  const lines: string[] = []
  const toOutcome = (code: number, err: string): ToolOutcome => ({
    code,
    out: lines.map((line) => `${line}\n`).join(''),
    err,
  })
  try {
    const options = parseShellOptions(args)
    const script = options.script ?? (await surroundings.readInput())
    const connection = await surroundings.open(options)
    try {
      await runScript(connection, script, options.database, surroundings, (line) => void lines.push(line))
    } finally {
      connection.close()
    }
    return toOutcome(0, '')
  } catch (error) {
    return toOutcome(1, `Error: ${(error as Error).message}\n`)
  }
}
