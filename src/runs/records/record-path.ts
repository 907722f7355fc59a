/** Where the record of an attempt lies in a folder of records. */
import { join } from 'node:path'

export const RECORD_SUFFIX = '.jsonl'

/** Of names that a file may have everywhere. */
const toFileName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-')

export const recordPathOf = (folder: string, problem: string, attempt: string): string =>
  join(folder, `${toFileName(problem)}.${toFileName(attempt)}${RECORD_SUFFIX}`)
