/** The protocol of external agents: JSON objects, one per line, in both directions. */
import { z } from 'zod'
import type { ActionDescription, Briefing, Observation, ReportedVerdict } from '#spec'

export const PROTOCOL_VERSION = 1

/** A message to the program. */
export type ProgramInput =
  | {
      readonly begin: {
        readonly version: typeof PROTOCOL_VERSION
        /** The id of the episode, which is also in the record. */
        readonly episode: string
        /** Whether `verdict` follows `end`. */
        readonly reportsVerdict: boolean
        readonly briefing: Briefing
        readonly actions: readonly ActionDescription[]
      }
    }
  | { readonly observation: { readonly id: string | number } & Observation }
  | { readonly end: { readonly reason: string } }
  | { readonly verdict: ReportedVerdict }

const Call = z.object({
  id: z.union([z.string(), z.number()]),
  name: z.string(),
  input: z.unknown().optional(),
})

const tokens = z.int().min(0).max(1_000_000_000_000)
const Usage = z.strictObject({
  input: tokens,
  output: tokens,
  costUsd: z.number().min(0).max(1_000_000_000).optional(),
  model: z.string().max(200).optional(),
})

const Output = z.union([
  z.strictObject({ call: Call }),
  z.strictObject({ thought: z.string(), role: z.string().optional() }),
  z.strictObject({ submit: z.record(z.string(), z.unknown()) }),
  z.strictObject({ usage: Usage }),
])

/** A message from the program. */
export type ProgramOutput = z.infer<typeof Output>

const shorten = (line: string): string => (line.length > 120 ? `${line.slice(0, 120)}...` : line)

/** Throws, quoting the line, if it is not a valid message. */
export const parseProgramOutput = (line: string): ProgramOutput => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error(`The program wrote a line that is not JSON: ${shorten(line)}`)
  }
  const parsed = Output.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(
    `The program wrote a line that is neither a call, a thought, a usage nor a submit: ${shorten(line)}`,
  )
}
