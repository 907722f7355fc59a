/** Opens a telemetry file read-only; rejects other files and unknown versions. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { RemediumError } from '#spec'
import { APPLICATION_ID, READABLE_VERSIONS } from '../store/schema.ts'

/** How long a reader waits for a lock. */
export const BUSY_TIMEOUT_MS = 5000

/** SQLite's error code for a damaged file. */
const SQLITE_CORRUPT = 11

const damagedFileError = (file: string, cause: unknown): RemediumError =>
  new RemediumError('bad-argument', `The telemetry file ${file} is damaged: ${(cause as Error).message}.`, {
    cause,
  })

const foreignFileError = (file: string, cause?: unknown): RemediumError =>
  new RemediumError('bad-argument', `${file} is not a telemetry file of Remedium.`, { cause })

export const openDatabase = (file: string): DatabaseSync => {
  if (!existsSync(file)) throw new RemediumError('bad-argument', `The telemetry file ${file} does not exist.`)
  const open = (): { database: DatabaseSync; application: unknown; version: number } => {
    const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
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
      ? damagedFileError(file, cause)
      : foreignFileError(file, cause)
  }
  const { database, application, version } = opened
  if (application === APPLICATION_ID && READABLE_VERSIONS.includes(version)) return database
  database.close()
  if (application !== APPLICATION_ID) throw foreignFileError(file)
  throw new RemediumError(
    'bad-argument',
    `${file} has version ${version} of the telemetry tables; this version of Remedium reads up to version ${Math.max(...READABLE_VERSIONS)}.`,
    { hint: 'Use the version of Remedium that wrote the file.' },
  )
}
