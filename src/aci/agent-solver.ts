/** Makes a solver of an agent: gives it actions and models, and writes down what it thinks, asks and does. */
import {
  type Agent,
  type AgentContext,
  type LanguageModel,
  RemediumError,
  type Solver,
  type SolverContext,
} from '../spec/index.ts'
import { createActions, type EpisodeActions } from './create-actions.ts'
import { createDelays, type Delays } from './delays.ts'
import type { Policy } from './policy.ts'
import type { Playbooks, Shell } from './ports.ts'
import { recordedModel } from './recorded-model.ts'
import { createSpending, type Spending } from './spending.ts'

export interface AgentSolverOptions {
  readonly agent: Agent
  /** By the agent's roles. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  readonly policy?: Policy
  readonly shell?: Shell
  readonly playbooks?: Playbooks
  /** What records call it; the agent's name where absent. */
  readonly name?: string
}

const modelMissing = ({ name }: Agent, role: string): RemediumError =>
  new RemediumError('bad-argument', `The agent ${name} needs a language model for its part "${role}".`, {
    hint: 'Name one with --model PROVIDER:NAME.',
  })

/** What others did wrong, which must not be held against the agent. */
interface Troubles {
  /** Of the machine. */
  machine?: RemediumError
  /** The last time that a model was asked for and could not be had. */
  provider?: RemediumError | undefined
}

/** Codes that are of models alone. */
const OF_MODELS: readonly string[] = ['key-missing', 'model-failed', 'not-recorded']

/** As one that is known to be of a model: whatever an operator got wrong about it, the agent did not. */
const ofModel = (error: RemediumError): RemediumError => {
  const { code, blame, message, hint } = error
  if (blame !== 'operator' || OF_MODELS.includes(code)) return error
  return new RemediumError('model-failed', message, { blame, hint, cause: error })
}

/** Of its time: where failed tries of asking models have taken more, it is not the agent that was too slow. */
const MOST_LOST = 0.1

const findExcuse = (delays: Delays, seconds: number): RemediumError | undefined => {
  const lost = delays.lost()
  if (lost === undefined || lost.milliseconds <= seconds * 1000 * MOST_LOST) return undefined
  const { milliseconds, error } = lost
  const message = `Tries of asking models that came to nothing took ${Math.round(milliseconds / 1000)} of the agent's ${seconds} s; the last one: ${error.message}`
  return new RemediumError('model-failed', message, { cause: error })
}

interface Counters {
  readonly spending: Spending
  readonly delays: Delays
}

const modelsFor = (
  { agent, models = {} }: AgentSolverOptions,
  context: SolverContext,
  counters: Counters,
  troubles: Troubles,
): AgentContext['model'] => {
  const byRole = new Map(
    agent.roles.map((role) => [
      role,
      recordedModel({
        role,
        model: models[role]!,
        context,
        ...counters,
        onFailure(error) {
          troubles.provider = ofModel(error)
        },
        onAnswer() {
          troubles.provider = undefined
        },
      }),
    ]),
  )
  return (role) => {
    const found = byRole.get(role)
    if (found !== undefined) return found
    throw new TypeError(`the agent ${agent.name} declares no part "${role}"`)
  }
}

/** Ends when the agent returns or has submitted, whichever comes first. */
const follow = async (agent: Agent, context: SolverContext, own: AgentContext, actions: EpisodeActions) => {
  const thoughts = agent.solve(own)
  const listen = async (): Promise<void> => {
    for await (const { role, thought } of thoughts)
      context.record({ type: 'thought-noted', ...(role === undefined ? {} : { role }), thought })
  }
  const listening = listen()
  try {
    await Promise.race([listening, actions.submitted])
  } finally {
    // It may be in the middle of something, and is asked for nothing any more.
    listening.catch(() => {})
    void thoughts.return().catch(() => {})
  }
}

/** Throws where the agent lacks a model that it needs. */
export const agentSolver = (options: AgentSolverOptions): Solver => {
  const { agent, models = {}, policy = {} } = options
  for (const role of agent.roles) if (models[role] === undefined) throw modelMissing(agent, role)
  return {
    name: options.name ?? agent.name,
    async solve(context) {
      const troubles: Troubles = {}
      const spending = createSpending(policy.budget ?? {}, context.spend)
      const actions = createActions({
        context,
        policy,
        spending,
        shell: options.shell,
        playbooks: options.playbooks,
        onFailure(error) {
          troubles.machine ??= error
        },
      })
      const { briefing, signal } = context
      const delays = createDelays()
      context.excuseBy(() => findExcuse(delays, briefing.budget.seconds))
      const own: AgentContext = {
        briefing,
        actions,
        signal,
        sleep: (ms) => context.sleep(ms),
        model: modelsFor(options, context, { spending, delays }, troubles),
      }
      let thrown: unknown
      try {
        await follow(agent, context, own, actions)
      } catch (error) {
        thrown = error ?? new Error('it failed without a reason')
      }
      if (actions.isSubmitted) return
      const { machine, provider } = troubles
      if (machine !== undefined || provider !== undefined) throw machine ?? provider
      if (thrown !== undefined) throw thrown
      context.giveUp()
    },
  }
}
