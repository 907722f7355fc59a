/** The ledger of a validation: a JSON line for each attempt that has ended, so that a run can be taken up again. */
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { RemediumError } from '../../spec/index.ts'
import type { AttemptResult } from '../attempt.ts'

const LEDGER_SCHEMA = 1

/** What the attempts in one ledger have in common. */
export interface LedgerHead {
  readonly suite: string
  readonly seed: string
  readonly commit: string
}

export interface Ledger {
  /** Those that it held when it was opened, and those added since. */
  readonly results: readonly AttemptResult[]
  has(problem: string, attempt: string): boolean
  /** On disk when it returns. */
  add(result: AttemptResult): void
  close(): void
}

interface Content {
  readonly head: LedgerHead | undefined
  readonly results: AttemptResult[]
  /** Bytes up to the last whole line. */
  readonly length: number
}

const parseLine = (line: string, place: string): Record<string, unknown> => {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new RemediumError('bad-file', `${place} is no line of a ledger.`, { cause })
  }
}

/** What comes after the last line break was cut off when somebody was killed; it is done again. */
const readContent = (path: string, text: string): Content => {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [first, ...rest] = whole.split('\n').slice(0, -1)
  if (first === undefined) return { head: undefined, results: [], length: 0 }
  const { ledger, ...head } = parseLine(first, `${path}, line 1,`)
  if (ledger !== LEDGER_SCHEMA)
    throw new RemediumError('bad-file', `${path} is not a ledger of this version of Remedium.`)
  const results = rest.map((line, index) => parseLine(line, `${path}, line ${index + 2},`))
  return {
    head: head as unknown as LedgerHead,
    results: results as unknown as AttemptResult[],
    length: Buffer.byteLength(whole),
  }
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

const openFile = (path: string): number => {
  try {
    return openSync(path, 'a+', 0o644)
  } catch (cause) {
    throw new RemediumError('bad-argument', `The ledger cannot be written to ${path}.`, {
      hint: 'Name a file in a folder that exists and may be written to, with --ledger.',
      cause,
    })
  }
}

const createMemory = (
  results: AttemptResult[],
): Pick<Ledger, 'results' | 'has'> & { keep(one: AttemptResult): void } => {
  const keyOf = (problem: string, attempt: string): string => `${problem}\n${attempt}`
  const keys = new Set(results.map(({ problem, attempt }) => keyOf(problem, attempt)))
  return {
    results,
    has: (problem, attempt) => keys.has(keyOf(problem, attempt)),
    keep(one) {
      results.push(one)
      keys.add(keyOf(one.problem, one.attempt))
    },
  }
}

/** Without a path it is kept in memory alone. */
export const openLedger = (
  path: string | undefined,
  head: LedgerHead,
  { anyCommit = false }: { anyCommit?: boolean } = {},
): Ledger => {
  if (path === undefined) {
    const memory = createMemory([])
    return { ...memory, add: memory.keep, close() {} }
  }
  const file = openFile(path)
  try {
    const content = readContent(path, readFileSync(path, 'utf8'))
    if (content.head !== undefined) refuseMixture(path, content.head, head, anyCommit)
    ftruncateSync(file, content.length)
    const write = (value: object): void => {
      writeSync(file, `${JSON.stringify(value)}\n`)
      fsyncSync(file)
    }
    if (content.head === undefined) write({ ledger: LEDGER_SCHEMA, ...head })
    // Those that the harness spoilt are worth another run; what users do not feel would only be tried until they do.
    const memory = createMemory(
      content.results.filter(({ outcome, code }) => outcome !== 'void' || code === 'not-felt'),
    )
    return {
      ...memory,
      add(result) {
        write(result)
        memory.keep(result)
      },
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}
