/** How far ThinkRemed goes: its trials, and what its parts may do in each. */
import { z } from 'zod'
import {
  type AgentOptions,
  atLeastOne,
  CONVERSATION_OPTIONS,
  type Conversation,
  createConversation,
  parseAgentOptions,
} from '../../agent-parts/index.ts'
import type { AgentContext } from '../../spec/index.ts'

const SHAPE = {
  ...CONVERSATION_OPTIONS,
  /** Playbooks that are tried before it gives up. */
  trials: atLeastOne(3),
  /** Questions that the Coordinator may ask the Probe before each playbook; 0: it works from the report alone. */
  probes: z.coerce.number().int().min(0).default(4),
  /** Answers that Probe and Verification have for one question; the last is for what they found. */
  looks: z.coerce.number().int().min(2).default(4),
  /** Seconds between the end of a playbook and the look at what came of it. */
  settleSeconds: z.coerce.number().min(0).default(10),
}

export type ThinkRemedOptions = ReturnType<typeof parseAgentOptions<typeof SHAPE>>

export const parseOptions = (given: AgentOptions): ThinkRemedOptions =>
  parseAgentOptions('think-remed', SHAPE, given)

/** A new conversation with the model of one part. */
export const converse = (
  { model, signal }: AgentContext,
  { contextLetters, outputTokens }: ThinkRemedOptions,
  role: string,
  system: string,
): Conversation =>
  createConversation(model(role), system, {
    mostLetters: contextLetters,
    mostOutputTokens: outputTokens,
    signal,
  })
