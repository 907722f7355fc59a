/** An agent, and the actions through which it sees and touches a system: all that it has, whatever it is made of. */
import type { Briefing } from './episode.ts'
import type { LanguageModel, ToolDescription } from './model.ts'

/** One thing that an agent can do. */
export interface ActionDescription extends ToolDescription {
  /** Whether it leaves everything as it is. */
  readonly isReadOnly: boolean
}

/** What came of an action, written for a language model: bounded, the important first, and how to get the rest. */
export interface Observation {
  /** False: it was refused or failed; the text says what was wrong and what would be right. */
  readonly ok: boolean
  readonly text: string
  /** What the text tells, as plain JSON, for agents that are programs; absent where the text is all. */
  readonly data?: unknown
}

export interface Actions {
  /** Those that the policy lets it take in this task. */
  readonly available: readonly ActionDescription[]
  /** Resolves whatever the agent did wrong. Rejects only when the episode is over for it: budget spent, or aborted. */
  call(name: string, input: unknown): Promise<Observation>
}

/** What an agent tells of itself while it works; its actions and what it asks of models are recorded without it. */
export interface AgentStep {
  /** Of which of its parts: `coordinator`, `probe`; absent where it has only one. */
  readonly role?: string
  readonly thought: string
}

export interface AgentContext {
  readonly briefing: Briefing
  readonly actions: Actions
  /** The one for a part of the agent; throws where the agent declares no such part. */
  model(role: string): LanguageModel
  readonly signal: AbortSignal
  sleep(ms: number): Promise<void>
}

/**
 * Ends by returning, normally after the action `submit`. What it throws is its own failure, but for errors that say whom
 * else to blame.
 */
export interface Agent {
  readonly name: string
  /** In one phrase. */
  readonly about: string
  /** Its parts that ask a language model; none for agents that need none. */
  readonly roles: readonly string[]
  solve(context: AgentContext): AsyncGenerator<AgentStep, void, void>
}

export const defineAgent = (agent: Agent): Agent => agent
