/** What an external agent says, line by line, and what it is told: JSON, one object a line. */
import { z } from 'zod'
import type { ActionDescription, Briefing, Observation } from '../../spec/index.ts'

export const PROTOCOL_VERSION = 1

/** To the program. */
export type Told =
  | {
      readonly begin: {
        readonly version: typeof PROTOCOL_VERSION
        readonly briefing: Briefing
        readonly actions: readonly ActionDescription[]
      }
    }
  | { readonly observation: { readonly id: string | number } & Observation }
  | { readonly end: { readonly reason: string } }

const Call = z.object({
  id: z.union([z.string(), z.number()]),
  name: z.string(),
  input: z.unknown().optional(),
})

const Said = z.union([
  z.strictObject({ call: Call }),
  z.strictObject({ thought: z.string(), role: z.string().optional() }),
  z.strictObject({ submit: z.record(z.string(), z.unknown()) }),
])

/** From the program. */
export type Said = z.infer<typeof Said>

const shorten = (line: string): string => (line.length > 120 ? `${line.slice(0, 120)}...` : line)

/** Throws, with the line, where it is none of the three things that a program may say. */
export const parseSaid = (line: string): Said => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error(`The program wrote a line that is no JSON: ${shorten(line)}`)
  }
  const parsed = Said.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(`The program wrote a line that is neither a call, a thought nor a submit: ${shorten(line)}`)
}
