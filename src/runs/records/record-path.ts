/** Where the record of an attempt lies in a folder of records. */
import { join } from 'node:path'

export const RECORD_SUFFIX = '.jsonl'

/** Of names that a file may have everywhere. */
const toFileName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-')

export const recordPathOf = (folder: string, ...names: readonly string[]): string =>
  join(folder, `${names.map(toFileName).join('.')}${RECORD_SUFFIX}`)
