/** Parses and validates the lines of a ledger. */
import { z } from 'zod'
import { RemediumError } from '#spec'
import type { AttemptResult } from './attempt.ts'

export const LEDGER_SCHEMA = 1

/** Identifies the validation. A ledger has a further head for each other commit with which it was resumed. */
export interface LedgerHead {
  readonly suite: string
  readonly seed: string
  readonly commit: string
  /** The name of the engine; absent for `local`. */
  readonly engine?: string | undefined
}

export interface LedgerContent {
  /** Undefined if the file has no complete line. */
  readonly head: LedgerHead | undefined
  /** The commit of the head, and those with which the validation was resumed, in order. */
  readonly commits: readonly string[]
  readonly results: readonly AttemptResult[]
}

const text = z.string()
const count = z.number().min(0)

const headLine = z.looseObject({ ledger: z.literal(LEDGER_SCHEMA) })
const head = z.looseObject({ suite: text, seed: text, commit: text, engine: text.optional() })

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
  hasImpact: z.boolean(),
  alerts: z.array(text),
  damage: count,
  metrics: z
    .looseObject({ timeToMitigate: z.number().optional(), journeyRunsFailed: count, journeyRuns: count })
    .optional(),
  isIdle: z.literal(true).optional(),
  tries: z.int().min(1),
  failures: z.array(text).optional(),
})

const parse = <T>(schema: z.ZodType, value: unknown, place: string): T => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data as T
  const [issue] = parsed.error.issues
  throw new RemediumError(
    'bad-file',
    `${place} is not a line of a ledger: ${issue!.path.join('.') || 'value'}: ${issue!.message}.`,
  )
}

const isTornHead = (torn: string): boolean => {
  const start = `{"ledger":${LEDGER_SCHEMA},`
  return torn.startsWith(start) || start.startsWith(torn)
}

/** Throws if the file is neither empty nor a ledger. */
export const parseLedger = (path: string, values: readonly unknown[], torn: string): LedgerContent => {
  if (values.length === 0 ? !isTornHead(torn) : !headLine.safeParse(values[0]).success)
    throw new RemediumError('bad-file', `${path} is not a ledger of this version of Remedium.`, {
      hint: 'The file was not changed. Name another one with --ledger.',
    })
  const lines = values.map((value, index) => ({ value, place: `${path}, line ${index + 1}` }))
  const isHead = ({ value }: { value: unknown }): boolean => headLine.safeParse(value).success
  const heads = lines.filter(isHead).map(({ value, place }) => parse<LedgerHead>(head, value, place))
  return {
    head: heads[0],
    commits: heads.map(({ commit }) => commit),
    results: lines.filter((line) => !isHead(line)).map(({ value, place }) => parse(result, value, place)),
  }
}
