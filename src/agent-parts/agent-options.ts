/** Options of agents, as they come from a command line: checked, with what is meant where they are wrong. */
import { z } from 'zod'
import { RemediumError } from '../spec/index.ts'

/** By name; numbers may be written as texts. */
export type AgentOptions = Readonly<Record<string, unknown>>

/** A whole number from 1 on. */
export const atLeastOne = (standard: number) => z.coerce.number().int().min(1).default(standard)

const describeIssue = (issue: z.core.$ZodIssue, names: readonly string[]): string => {
  if (issue.code === 'unrecognized_keys')
    return `there is no "${issue.keys.join('", "')}"; there are ${names.length === 0 ? 'none' : names.join(', ')}`
  return `${issue.path.join('.')}: ${issue.message}`
}

export const parseAgentOptions = <Shape extends z.ZodRawShape>(
  agent: string,
  shape: Shape,
  given: AgentOptions,
): z.infer<z.ZodObject<Shape>> => {
  const parsed = z.strictObject(shape).safeParse(given)
  if (parsed.success) return parsed.data as z.infer<z.ZodObject<Shape>>
  const issue = describeIssue(parsed.error.issues[0]!, Object.keys(shape))
  throw new RemediumError('bad-argument', `An option of the agent ${agent} is wrong: ${issue}.`)
}

/** How much agents keep of a conversation, and how long an answer may be. */
export const CONVERSATION_OPTIONS = {
  /** Letters; four of them are about a token. */
  contextLetters: atLeastOne(240_000),
  outputTokens: z.coerce.number().int().min(1).optional(),
}
