/** An agent, and the actions through which it observes and changes a system. */
import type { ActionReach } from './action-reach.ts'
import type { Briefing, ReportedVerdict } from './episode.ts'
import type { LanguageModel, ToolDescription } from './model.ts'

/** An action that an agent can use. */
export interface ActionDescription extends ToolDescription {
  /** Whether the action only reads. */
  readonly isReadOnly: boolean
  readonly reach: ActionReach
}

/**
 * The result of an action, written for a language model: limited in length, with the most important lines
 * first and a hint on how to get the rest.
 */
export interface Observation {
  /** False if the action was refused or failed; the text says what was wrong and what is expected. */
  readonly ok: boolean
  readonly text: string
  /**
   * The content of the text as JSON, for agents that are programs; absent if the observation is only text.
   */
  readonly data?: unknown
}

export interface Actions {
  /** The actions that the policy allows in this task. */
  readonly available: readonly ActionDescription[]
  /** Resolves even if the agent made a mistake. Rejects only if the episode is over: budget spent, or aborted. */
  call(name: string, input: unknown): Promise<Observation>
}

/** A thought that an agent reports. Actions and model calls are recorded separately. */
export interface AgentStep {
  /** The role that has the thought, such as `coordinator`; absent if the agent has only one. */
  readonly role?: string
  readonly thought: string
}

/** Tokens and cost of models that an agent calls itself. */
export interface ReportedUsage {
  readonly tokens: { readonly input: number; readonly output: number }
  /** In US dollars; absent if unknown. */
  readonly costUsd?: number
  readonly model?: string
}

export interface AgentContext {
  /** The id of the attempt, which is also in the record. */
  readonly episode: string
  readonly briefing: Briefing
  readonly actions: Actions
  /** The model of a role; throws if the agent declares no such role. */
  model(role: string): LanguageModel
  readonly signal: AbortSignal
  /** Records usage, which counts towards the budget. */
  reportUsage(usage: ReportedUsage): void
  /**
   * Registers a function that receives the verdict after the attempt. Absent if the run does not report
   * verdicts.
   */
  onVerdict?(listener: (verdict: ReportedVerdict | undefined) => Promise<void>): void
  sleep(ms: number): Promise<void>
  /**
   * Waits for work of the operating system or of another process. All such waits of an agent must use it, because the time of a simulated
   * cluster stands still meanwhile. Afterwards it passes by the measured time, unless the run leaves that out.
   */
  waitOutside<T>(work: Promise<T>): Promise<T>
}

/**
 * An agent ends by returning, normally after the action `submit`. Errors that it throws are blamed on it,
 * unless they carry another blame.
 */
export interface Agent {
  readonly name: string
  /** One phrase. */
  readonly about: string
  /** The roles that call a language model; empty for agents without models. */
  readonly roles: readonly string[]
  solve(context: AgentContext): AsyncGenerator<AgentStep, void, void>
}

export const defineAgent = (agent: Agent): Agent => agent
