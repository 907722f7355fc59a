/** Messages between simulated MySQL servers and their clients. */
import type { ProgramMessage } from '#spec'
import type { MysqlError, MysqlResult } from '#world/twin/stores'

/** The first message of a client, which the server answers with its greeting. */
export class MysqlHello {}

export class MysqlGreeting {
  readonly challenge: Buffer

  constructor(challenge: Buffer) {
    this.challenge = challenge
  }
}

export class MysqlLogin {
  readonly user: string
  readonly database: string
  readonly proof: Buffer

  constructor(user: string, database: string, proof: Buffer) {
    this.user = user
    this.database = database
    this.proof = proof
  }
}

export class MysqlPing {}

export class MysqlOk {}

export class MysqlFailure {
  readonly error: MysqlError

  constructor(error: MysqlError) {
    this.error = error
  }
}

export class MysqlQuery {
  readonly sql: string

  constructor(sql: string) {
    this.sql = sql
  }
}

export class MysqlResults {
  readonly results: readonly MysqlResult[]

  constructor(results: readonly MysqlResult[]) {
    this.results = results
  }
}

/** Requests the log from a position onwards. */
export class MysqlFollow {
  readonly position: string

  constructor(position: string) {
    this.position = position
  }
}

/** Requests the next lines of the log; the server answers when there are any. */
export class MysqlNextLines {}

export class MysqlLines {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    this.lines = lines
  }
}

const HEADER_BYTES = 4
const GREETING_BYTES = 95
const LOGIN_BYTES = 90
/** A packet that describes a column, without its name. */
const COLUMN_BYTES = 26

const resultBytes = ({ columns, rows }: MysqlResult): number => {
  let bytes = 11
  for (const { name } of columns) bytes += COLUMN_BYTES + 2 * name.length
  for (const row of rows) {
    bytes += HEADER_BYTES
    for (const cell of row) bytes += 1 + (cell?.length ?? 0)
  }
  return bytes
}

const bytesOf = (content: object): number => {
  if (content instanceof MysqlGreeting) return GREETING_BYTES
  if (content instanceof MysqlLogin) return LOGIN_BYTES
  if (content instanceof MysqlQuery) return HEADER_BYTES + 1 + content.sql.length
  if (content instanceof MysqlFailure) return 13 + content.error.message.length
  if (content instanceof MysqlResults)
    return content.results.reduce((sum, result) => sum + resultBytes(result), 0)
  if (content instanceof MysqlLines)
    return content.lines.reduce((sum, line) => sum + HEADER_BYTES + line.length, 0)
  return HEADER_BYTES + 1
}

export const toMysqlMessage = (content: object): ProgramMessage => ({ content, bytes: bytesOf(content) })
