/** The names of the files that are written for attempts, and the paths of records. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'

export const RECORD_SUFFIX = '.jsonl'

/** File systems allow 255; the rest is for suffixes of unfinished records, such as `.4194304.part`. */
const MAX_CHARACTERS = 242
const HASH_DIGITS = 16

/** Replaces characters that some file systems do not allow. */
const toFileName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-')

/** Shortens long names, and appends a hash of the whole so that they stay unique. */
export const fileNameOf = (name: string, suffix: string): string => {
  const max = MAX_CHARACTERS - suffix.length
  if (name.length <= max) return `${name}${suffix}`
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_DIGITS)
  return `${name.slice(0, max - 1 - HASH_DIGITS)}-${hash}${suffix}`
}

/** Returns the same path on every machine. */
export const recordPathOf = (folder: string, ...names: readonly string[]): string =>
  join(folder, fileNameOf(names.map(toFileName).join('.'), RECORD_SUFFIX))
