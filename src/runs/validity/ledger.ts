/** The ledger of a validation: a JSON line for each attempt that has ended, so that a run can be taken up again. */
import { closeSync, openSync } from 'node:fs'
import { tryLock } from '../../linux/index.ts'
import { RemediumError } from '../../spec/index.ts'
import type { AttemptResult } from '../attempt.ts'
import { type LineFile, openLineFile } from '../folder/line-file.ts'
import { refuseStrangeFile } from '../folder/refuse-strange-file.ts'
import { LEDGER_SCHEMA, type LedgerHead, parseLedger } from './parse-ledger.ts'

export type { LedgerHead } from './parse-ledger.ts'

export interface Ledger {
  /** At which its attempts were made, in order. */
  readonly commits: readonly string[]
  /** Those that it held when it was opened, and those added since. */
  readonly results: readonly AttemptResult[]
  has(problem: string, attempt: string): boolean
  /** On disk when it returns. */
  add(result: AttemptResult): void
  close(): void
}

const refuseMixture = (path: string, kept: LedgerHead, wanted: LedgerHead, anyCommit: boolean): void => {
  for (const field of ['suite', 'seed', ...(anyCommit ? [] : (['commit'] as const))] as const)
    if (kept[field] !== wanted[field])
      throw new RemediumError(
        'bad-argument',
        `The ledger ${path} is of the ${field} "${kept[field]}", not of "${wanted[field]}".`,
        {
          hint:
            field === 'commit'
              ? 'Take another file, or give --any-commit to go on with attempts of different commits in one ledger.'
              : 'Take another file for another suite or seed.',
        },
      )
}

/** Locked before it is read, so that nobody adds a line in between. */
const openFile = (path: string): LineFile => {
  try {
    refuseStrangeFile(path)
    closeSync(openSync(path, 'a', 0o644))
    const lock = tryLock(path)
    if (lock === undefined)
      throw new RemediumError('bad-argument', `Another process is at the ledger ${path}.`, {
        hint: 'Wait for it, or end it first; another validation needs a ledger of its own.',
      })
    try {
      const file = openLineFile(path)
      const close = (): void => {
        file.close()
        lock.release()
      }
      return { ...file, close }
    } catch (error) {
      lock.release()
      throw error
    }
  } catch (cause) {
    if (cause instanceof RemediumError) throw cause
    throw new RemediumError('bad-argument', `The ledger cannot be written to ${path}.`, {
      hint: 'Name a file in a folder that exists and may be written to, with --ledger.',
      cause,
    })
  }
}

/** Those that the harness spoilt are worth another run; what users do not feel would only be tried until they do. */
const isSpoilt = ({ outcome, code }: AttemptResult): boolean => outcome === 'void' && code !== 'not-felt'

/** With what had gone wrong before it, which a later run must not hide. */
const withFailures = (result: AttemptResult, before: readonly string[]): AttemptResult =>
  before.length === 0
    ? result
    : {
        ...result,
        tries: before.length + result.tries,
        failures: [...before, ...(result.failures ?? [])],
      }

/** The file has every result as it came: what was spoilt is added to what came of it at last when it is read. */
const createMemory = (
  kept: readonly AttemptResult[],
): Pick<Ledger, 'results' | 'has'> & { keep(one: AttemptResult): void } => {
  const keyOf = ({ problem, attempt }: Pick<AttemptResult, 'problem' | 'attempt'>): string =>
    `${problem}\n${attempt}`
  const spoilt = new Map<string, readonly string[]>()
  const failuresOf = (key: string): readonly string[] => spoilt.get(key) ?? []
  const keys = new Set<string>()
  const results: AttemptResult[] = []
  const keep = (one: AttemptResult): void => {
    const key = keyOf(one)
    results.push(withFailures(one, failuresOf(key)))
    keys.add(key)
  }
  for (const one of kept) {
    const key = keyOf(one)
    if (isSpoilt(one)) spoilt.set(key, [...failuresOf(key), ...(one.failures ?? [])])
    else keep(one)
  }
  return { results, has: (problem, attempt) => keys.has(keyOf({ problem, attempt })), keep }
}

/** Without a path it is kept in memory alone. */
export const openLedger = (
  path: string | undefined,
  head: LedgerHead,
  { anyCommit = false }: { anyCommit?: boolean } = {},
): Ledger => {
  if (path === undefined) {
    const memory = createMemory([])
    return { ...memory, commits: [head.commit], add: memory.keep, close() {} }
  }
  const file = openFile(path)
  try {
    const { head: kept, commits, results } = parseLedger(path, file.values, file.torn)
    if (kept !== undefined) refuseMixture(path, kept, head, anyCommit)
    const known = [...commits]
    /** Who only reads on what others have done leaves no trace. */
    const noteCommit = (): void => {
      if (known.at(-1) === head.commit) return
      file.add({ ledger: LEDGER_SCHEMA, ...head })
      known.push(head.commit)
    }
    if (kept === undefined) noteCommit()
    const memory = createMemory(results)
    return {
      ...memory,
      commits: known,
      add(result) {
        noteCommit()
        file.add(result)
        memory.keep(result)
      },
      close: () => file.close(),
    }
  } catch (error) {
    file.close()
    throw error
  }
}
