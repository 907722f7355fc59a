/** What files about attempts are called, and where the record of one lies in a folder of records. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'

export const RECORD_SUFFIX = '.jsonl'

/** File systems take 255; the rest is for what stands behind the name while a record is made: `.4194304.part`. */
const MOST_LETTERS = 242
const DIGITS = 16

/** Of names that a file may have everywhere. */
const toFileName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-')

/** Problems with several faults have long names: of those the beginning, and a hash of the whole, by which it stays the only one. */
export const fileNameOf = (name: string, suffix: string): string => {
  const most = MOST_LETTERS - suffix.length
  if (name.length <= most) return `${name}${suffix}`
  const hash = createHash('sha256').update(name).digest('hex').slice(0, DIGITS)
  return `${name.slice(0, most - 1 - DIGITS)}-${hash}${suffix}`
}

/** The same for the same names on every machine. */
export const recordPathOf = (folder: string, ...names: readonly string[]): string =>
  join(folder, fileNameOf(names.map(toFileName).join('.'), RECORD_SUFFIX))
