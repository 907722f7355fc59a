/** The ledger of a validation: a JSON line for each finished attempt, so that the validation can be resumed. */
import { closeSync, openSync } from 'node:fs'
import { checkRegularFile, type LineFile, openLineFile } from '#lab/records'
import { tryLock } from '#machine/host'
import { DEFAULT_ENGINE, isFinalVoid, RemediumError } from '#spec'
import type { AttemptResult } from './attempt.ts'
import { LEDGER_SCHEMA, type LedgerHead, parseLedger } from './parse-ledger.ts'

export type { LedgerHead } from './parse-ledger.ts'

export interface Ledger {
  /** The commits of its attempts, in order. */
  readonly commits: readonly string[]
  /** The results of the file and those added since. */
  readonly results: readonly AttemptResult[]
  has(problem: string, attempt: string): boolean
  /** The result is on disk when this returns. */
  add(result: AttemptResult): void
  close(): void
}

const rejectOtherHead = (path: string, stored: LedgerHead, given: LedgerHead, anyCommit: boolean): void => {
  const textOf = (head: LedgerHead, field: keyof LedgerHead): string => head[field] ?? DEFAULT_ENGINE
  for (const field of ['suite', 'seed', 'engine', ...(anyCommit ? [] : (['commit'] as const))] as const)
    if (textOf(stored, field) !== textOf(given, field))
      throw new RemediumError(
        'bad-argument',
        `The ledger ${path} has the ${field} "${textOf(stored, field)}", not "${textOf(given, field)}".`,
        {
          hint:
            field === 'commit'
              ? 'Name another file, or give --any-commit to mix attempts of both commits in one ledger.'
              : 'Name another file for another suite, seed or engine.',
        },
      )
}

/** Locks the file before it reads, so that no other process can append in between. */
const openLockedFile = (path: string): LineFile => {
  try {
    checkRegularFile(path)
    closeSync(openSync(path, 'a', 0o644))
    const lock = tryLock(path)
    if (lock === undefined)
      throw new RemediumError('bad-argument', `Another process uses the ledger ${path}.`, {
        hint: 'Wait for it, stop it, or name another file.',
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
      hint: 'Name a file in an existing, writable folder with --ledger.',
      cause,
    })
  }
}

/** Void attempts are repeated when the validation is resumed, unless the result would be the same. */
const isRetryable = (result: AttemptResult): boolean => result.outcome === 'void' && !isFinalVoid(result)

/** Adds failures of earlier runs, so that resuming does not hide them. */
const withEarlierFailures = (result: AttemptResult, earlierFailures: readonly string[]): AttemptResult =>
  earlierFailures.length === 0
    ? result
    : {
        ...result,
        tries: earlierFailures.length + result.tries,
        failures: [...earlierFailures, ...(result.failures ?? [])],
      }

/** The file contains every result; failures of retryable ones are added to the final result of the attempt. */
const createIndex = (
  stored: readonly AttemptResult[],
): Pick<Ledger, 'results' | 'has'> & { addResult(result: AttemptResult): void } => {
  const keyOf = ({ problem, attempt }: Pick<AttemptResult, 'problem' | 'attempt'>): string =>
    `${problem}\n${attempt}`
  const failures = new Map<string, readonly string[]>()
  const failuresOf = (key: string): readonly string[] => failures.get(key) ?? []
  const keys = new Set<string>()
  const results: AttemptResult[] = []
  const addResult = (result: AttemptResult): void => {
    const key = keyOf(result)
    results.push(withEarlierFailures(result, failuresOf(key)))
    keys.add(key)
  }
  for (const one of stored) {
    const key = keyOf(one)
    if (isRetryable(one)) failures.set(key, [...failuresOf(key), ...(one.failures ?? [])])
    else addResult(one)
  }
  return { results, has: (problem, attempt) => keys.has(keyOf({ problem, attempt })), addResult }
}

/** Without a path, the ledger is kept in memory only. */
export const openLedger = (
  path: string | undefined,
  head: LedgerHead,
  { anyCommit = false }: { anyCommit?: boolean } = {},
): Ledger => {
  if (path === undefined) {
    const index = createIndex([])
    return { ...index, commits: [head.commit], add: index.addResult, close() {} }
  }
  const file = openLockedFile(path)
  try {
    const { head: stored, commits, results } = parseLedger(path, file.values, file.torn)
    if (stored !== undefined) rejectOtherHead(path, stored, head, anyCommit)
    const allCommits = [...commits]
    /** Writes the commit with the first new result, so that reading alone does not change the file. */
    const noteCommit = (): void => {
      if (allCommits.at(-1) === head.commit) return
      file.add({ ledger: LEDGER_SCHEMA, ...head })
      allCommits.push(head.commit)
    }
    if (stored === undefined) noteCommit()
    const index = createIndex(results)
    return {
      ...index,
      commits: allCommits,
      add(result) {
        noteCommit()
        file.add(result)
        index.addResult(result)
      },
      close: () => file.close(),
    }
  } catch (error) {
    file.close()
    throw error
  }
}
