/** Parses the options of agents, which come from the command line. */
import { z } from 'zod'
import { RemediumError } from '#spec'

/** Options by name. Numbers may be strings. */
export type AgentOptions = Readonly<Record<string, unknown>>

export const positiveInteger = (defaultValue: number) => z.coerce.number().int().min(1).default(defaultValue)

const describeIssue = (issue: z.core.$ZodIssue, names: readonly string[]): string => {
  if (issue.code === 'unrecognized_keys')
    return `"${issue.keys.join('", "')}" does not exist; existing options: ${names.length === 0 ? 'none' : names.join(', ')}`
  return `${issue.path.join('.')}: ${issue.message}`
}

export const parseAgentOptions = <Shape extends z.ZodRawShape>(
  agent: string,
  shape: Shape,
  options: AgentOptions,
): z.infer<z.ZodObject<Shape>> => {
  const parsed = z.strictObject(shape).safeParse(options)
  if (parsed.success) return parsed.data as z.infer<z.ZodObject<Shape>>
  const issue = describeIssue(parsed.error.issues[0]!, Object.keys(shape))
  throw new RemediumError('bad-argument', `An option of the agent ${agent} is invalid: ${issue}.`)
}

/** The options of every agent with a language model. */
export const CONVERSATION_OPTIONS = {
  /** If a conversation is longer than this, old observations are shortened. Four characters are about one token. */
  contextCharacters: positiveInteger(240_000),
  outputTokens: z.coerce.number().int().min(1).optional(),
}
