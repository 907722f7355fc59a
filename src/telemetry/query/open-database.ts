/** Opens a telemetry file to be read, and refuses what is none or too new. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { RemediumError } from '../../spec/index.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from '../store/schema.ts'

/** How long whoever reads waits for whoever writes. */
export const BUSY_MS = 5000

/** What SQLite says of files that were its own, and are damaged. */
const SQLITE_CORRUPT = 11

const damaged = (file: string, cause: unknown): RemediumError =>
  new RemediumError('bad-argument', `The telemetry file ${file} is damaged: ${(cause as Error).message}.`, {
    cause,
  })

const foreign = (file: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-argument', `${file} is no telemetry file of Remedium.`, { cause })

export const openDatabase = (file: string): DatabaseSync => {
  if (!existsSync(file)) throw new RemediumError('bad-argument', `There is no telemetry file ${file}.`)
  const open = (): { database: DatabaseSync; application: unknown; version: number } => {
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
    const application = database.prepare('PRAGMA application_id').get()?.application_id
    return {
      database,
      application,
      version: Number(database.prepare('PRAGMA user_version').get()?.user_version),
    }
  }
  let opened: ReturnType<typeof open>
  try {
    opened = open()
  } catch (cause) {
    throw (cause as { errcode?: number }).errcode === SQLITE_CORRUPT
      ? damaged(file, cause)
      : foreign(file, cause)
  }
  const { database, application, version } = opened
  if (application === APPLICATION_ID && version === SCHEMA_VERSION) return database
  database.close()
  if (application !== APPLICATION_ID) throw foreign(file)
  throw new RemediumError(
    'bad-argument',
    `${file} has version ${version} of the telemetry tables, and this Remedium reads version ${SCHEMA_VERSION}.`,
    { hint: 'Use the Remedium that wrote it, or a newer one.' },
  )
}
