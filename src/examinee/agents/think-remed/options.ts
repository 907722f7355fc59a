/** The options of ThinkRemed: limits on trials, probes and observations. */
import { z } from 'zod'
import {
  type AgentOptions,
  CONVERSATION_OPTIONS,
  type Conversation,
  createConversation,
  parseAgentOptions,
  positiveInteger,
} from '#examinee/agent-parts'
import type { AgentContext } from '#spec'

const SHAPE = {
  ...CONVERSATION_OPTIONS,
  /** The maximum number of playbooks. */
  trials: positiveInteger(3),
  /** The number of questions that the Coordinator may ask the Probe before each decision. With 0 it has only the report. */
  probes: z.coerce.number().int().min(0).default(4),
  /**
   * The maximum number of responses of the Probe per question, and of the Verification. The last one is for the
   * result.
   */
  observationRounds: z.coerce.number().int().min(2).default(4),
  /** The wait between the end of a playbook and its verification. */
  settleSeconds: z.coerce.number().min(0).default(10),
}

export type ThinkRemedOptions = ReturnType<typeof parseAgentOptions<typeof SHAPE>>

export const parseOptions = (options: AgentOptions): ThinkRemedOptions =>
  parseAgentOptions('think-remed', SHAPE, options)

/** Starts a conversation with the model of one role. */
export const startConversation = (
  { model, signal }: AgentContext,
  { contextCharacters, outputTokens }: ThinkRemedOptions,
  role: string,
  system: string,
): Conversation =>
  createConversation(model(role), system, {
    maxCharacters: contextCharacters,
    maxOutputTokens: outputTokens,
    signal,
  })
