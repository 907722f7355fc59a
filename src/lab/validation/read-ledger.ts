/** Reads the ledger of a validation that has ended, or is still running. */
import { checkRegularFile, readLineFile } from '#lab/records'
import { DEFAULT_ENGINE, RemediumError } from '#spec'
import type { AttemptResult } from './attempt.ts'
import { parseLedger } from './parse-ledger.ts'

export interface FinishedLedger {
  readonly path: string
  readonly suite: string
  readonly engine: string
  readonly commits: readonly string[]
  /** The last result of each attempt. */
  readonly results: readonly AttemptResult[]
}

const readValues = (path: string): unknown[] => {
  try {
    checkRegularFile(path)
    return readLineFile(path)
  } catch (cause) {
    if (cause instanceof RemediumError) throw cause
    throw new RemediumError('bad-argument', `The ledger ${path} cannot be read.`, { cause })
  }
}

/** Throws if the file is not a ledger, or has no result. */
export const readLedger = (path: string): FinishedLedger => {
  const { head, commits, results } = parseLedger(path, readValues(path), '')
  if (head === undefined || results.length === 0)
    throw new RemediumError('bad-file', `The ledger ${path} has no results.`)
  const last = new Map(results.map((result) => [`${result.problem}\n${result.attempt}`, result]))
  const { suite, engine = DEFAULT_ENGINE } = head
  return { path, suite, engine, commits, results: [...last.values()] }
}
