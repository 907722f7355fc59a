/** Turns an agent into a solver: provides actions and models, and records its thoughts, model calls and actions. */
import { defined, monotonicMs } from '#kit'
import {
  type Agent,
  type AgentContext,
  type LanguageModel,
  RemediumError,
  type ReportedVerdict,
  type SamplingSettings,
  type Solver,
  type SolverContext,
  type ToolDescription,
} from '#spec'
import { createActions } from './create-actions.ts'
import { createDelays, type Delays } from './delays.ts'
import type { Policy } from './policy.ts'
import type { Playbooks, Shell } from './ports.ts'
import { recordedModel } from './recorded-model.ts'
import { createSpending, type Spending } from './spending.ts'

export interface AgentSolverOptions {
  readonly agent: Agent
  /** By role of the agent. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  /** For the models of all roles. */
  readonly sampling?: SamplingSettings | undefined
  readonly policy?: Policy
  readonly shell?: Shell
  readonly playbooks?: Playbooks
  /** The name in records; the agent's name by default. */
  readonly name?: string
  /** Whether the time that models and external agents take passes on simulated clusters; true by default. */
  readonly isThinkingTimed?: boolean
  /** Whether the agent's context has `onVerdict`. */
  readonly reportsVerdict?: boolean
}

const toMissingModelError = ({ name }: Agent, role: string): RemediumError =>
  new RemediumError('bad-argument', `The agent ${name} needs a language model for its role "${role}".`, {
    hint: 'Pass --model PROVIDER:NAME.',
  })

/** Failures for which the agent is not to blame. */
interface Failures {
  machine?: RemediumError
  /** The error of the last model call, if that call failed. */
  provider?: RemediumError | undefined
}

/** The codes that only model calls raise. */
const MODEL_ERROR_CODES: readonly string[] = ['key-missing', 'model-failed', 'not-recorded']

/** Marks an operator's mistake about a model as a model error, so that the agent is not blamed for it. */
const toModelError = (error: RemediumError): RemediumError => {
  const { code, blame, message, hint } = error
  if (blame !== 'operator' || MODEL_ERROR_CODES.includes(code)) return error
  return new RemediumError('model-failed', message, { blame, hint, cause: error })
}

/** If failed model calls took more than this share of the agent's time, running out of time is not the agent's fault. */
const MAX_LOST_SHARE = 0.1

const findExcuse = (delays: Delays, seconds: number): RemediumError | undefined => {
  const lost = delays.lost()
  if (lost === undefined || lost.milliseconds <= seconds * 1000 * MAX_LOST_SHARE) return undefined
  const { milliseconds, error } = lost
  const message = `Failed model calls took ${Math.round(milliseconds / 1000)} of the agent's ${seconds} s. The last error: ${error.message}`
  return new RemediumError('model-failed', message, { cause: error })
}

interface Counters {
  readonly spending: Spending
  readonly delays: Delays
}

const createModels = (
  { agent, models = {}, sampling }: AgentSolverOptions,
  context: SolverContext,
  counters: Counters,
  failures: Failures,
): AgentContext['model'] => {
  const modelsByRole = new Map(
    agent.roles.map((role) => [
      role,
      recordedModel({
        role,
        model: models[role]!,
        context,
        sampling,
        ...counters,
        onFailure(error) {
          failures.provider = toModelError(error)
        },
        onAnswer() {
          failures.provider = undefined
        },
      }),
    ]),
  )
  return (role) => {
    const model = modelsByRole.get(role)
    if (model !== undefined) return model
    throw new TypeError(`the agent ${agent.name} declares no role "${role}"`)
  }
}

/** The context in which thinking takes as much time on a simulated cluster as it took in reality, or none. */
const timeThinking = (
  context: SolverContext,
  { isThinkingTimed = true }: AgentSolverOptions,
): SolverContext =>
  isThinkingTimed ? context : { ...context, waitOutside: (work) => context.waitOutside(work) }

const toTool = ({ name, about, input }: ToolDescription): ToolDescription => ({ name, about, input })

/** Settles when the agent returns, or as `ended` does, whichever comes first. */
const runAgent = async (
  agent: Agent,
  context: SolverContext,
  agentContext: AgentContext,
  ended: Promise<void>,
) => {
  const thoughts = agent.solve(agentContext)
  const recordThoughts = async (): Promise<void> => {
    for await (const { role, thought } of thoughts)
      context.record({ type: 'thought-noted', ...defined({ role }), thought })
  }
  const recording = recordThoughts()
  try {
    await Promise.race([recording, ended])
  } finally {
    // The agent may still be running after the end: its further results are ignored.
    recording.catch(() => {})
    void thoughts.return().catch(() => {})
  }
}

/** Throws if a role of the agent has no model. */
export const agentSolver = (options: AgentSolverOptions): Solver => {
  const { agent, models = {}, policy = {} } = options
  for (const role of agent.roles) if (models[role] === undefined) throw toMissingModelError(agent, role)
  const verdictListeners: ((verdict: ReportedVerdict | undefined) => Promise<void>)[] = []
  return {
    name: options.name ?? agent.name,
    async onVerdict(verdict) {
      await Promise.allSettled(verdictListeners.map((listener) => listener(verdict)))
    },
    async solve(given) {
      const context = timeThinking(given, options)
      const failures: Failures = {}
      const unsupported = Promise.withResolvers<never>()
      unsupported.promise.catch(() => {})
      const spending = createSpending(policy.budget ?? {}, context.spend)
      const actions = createActions({
        context,
        policy,
        spending,
        shell: options.shell,
        playbooks: options.playbooks,
        onFailure(error) {
          failures.machine ??= error
          if (error.code === 'unsupported') unsupported.reject(error)
        },
      })
      const { briefing, signal } = context
      if (agent.roles.length === 0)
        context.record({ type: 'actions-offered', briefing, actions: actions.available.map(toTool) })
      const delays = createDelays(context.now)
      context.setExcuse(() => findExcuse(delays, briefing.budget.seconds))
      const agentContext: AgentContext = {
        episode: context.episode,
        briefing,
        actions,
        signal,
        sleep: (ms) => context.sleep(ms),
        waitOutside(work) {
          const startedAt = monotonicMs()
          return context.waitOutside(work, () => monotonicMs() - startedAt)
        },
        reportUsage(usage) {
          context.record({ type: 'usage-reported', ...usage })
          spending.add({ usage: usage.tokens, ...defined({ costUsd: usage.costUsd }) })
        },
        ...(options.reportsVerdict ? { onVerdict: (listener) => void verdictListeners.push(listener) } : {}),
        model: createModels(options, context, { spending, delays }, failures),
      }
      let thrown: unknown
      try {
        const ended = Promise.race([actions.submitted, unsupported.promise])
        await runAgent(agent, context, agentContext, ended)
      } catch (error) {
        thrown = error ?? new Error('the agent failed without an error')
      }
      const { machine, provider } = failures
      // The agent's work without the unsupported action proves nothing about the agent, so its submission does not count.
      if (machine?.code === 'unsupported') throw machine
      if (actions.isSubmitted) return
      if (machine !== undefined || provider !== undefined) throw machine ?? provider
      if (thrown !== undefined) throw thrown
      context.giveUp()
    },
  }
}
