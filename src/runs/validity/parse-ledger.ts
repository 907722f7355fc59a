/** Reads what a ledger holds, with suspicion: the user may have named another file. */
import { z } from 'zod'
import { RemediumError } from '../../spec/index.ts'
import type { AttemptResult } from '../attempt.ts'

export const LEDGER_SCHEMA = 1

/** What the attempts in one ledger have in common. */
export interface LedgerHead {
  readonly suite: string
  readonly seed: string
  readonly commit: string
}

export interface LedgerContent {
  /** Absent of a file without any whole line. */
  readonly head: LedgerHead | undefined
  /** Of the head, and of those who went on with it at another commit, in order. */
  readonly commits: readonly string[]
  readonly results: readonly AttemptResult[]
}

const text = z.string()
const count = z.number().min(0)

const first = z.looseObject({ ledger: z.literal(LEDGER_SCHEMA) })
const head = z.looseObject({ suite: text, seed: text, commit: text })

const result = z.looseObject({
  problem: text,
  system: text,
  task: text,
  attempt: text,
  reason: text,
  faults: z.array(text),
  expected: z.enum(['resolved', 'unresolved']),
  outcome: z.enum(['resolved', 'unresolved', 'void']),
  blame: text.optional(),
  code: text.optional(),
  stages: z.record(text, z.number()),
  felt: z.boolean(),
  alerts: z.array(text),
  damage: count,
  tries: z.int().min(1),
  failures: z.array(text).optional(),
})

const parse = <T>(schema: z.ZodType, value: unknown, place: string): T => {
  const reading = schema.safeParse(value)
  if (reading.success) return reading.data as T
  const [issue] = reading.error.issues
  throw new RemediumError(
    'bad-file',
    `${place}, is no line of a ledger: ${issue!.path.join('.') || 'it'}: ${issue!.message}.`,
  )
}

const isTornHead = (torn: string): boolean => {
  const start = `{"ledger":${LEDGER_SCHEMA},`
  return torn.startsWith(start) || start.startsWith(torn)
}

/** Throws where the file is anything but a ledger, or nothing yet. */
export const parseLedger = (path: string, values: readonly unknown[], torn: string): LedgerContent => {
  if (values.length === 0 ? !isTornHead(torn) : !first.safeParse(values[0]).success)
    throw new RemediumError('bad-file', `${path} is not a ledger of this version of Remedium.`, {
      hint: 'It was left as it is; name another file with --ledger.',
    })
  const lines = values.map((value, index) => ({ value, place: `${path}, line ${index + 1}` }))
  const isHead = ({ value }: { value: unknown }): boolean => first.safeParse(value).success
  const heads = lines.filter(isHead).map(({ value, place }) => parse<LedgerHead>(head, value, place))
  return {
    head: heads[0],
    commits: heads.map(({ commit }) => commit),
    results: lines.filter((line) => !isHead(line)).map(({ value, place }) => parse(result, value, place)),
  }
}
