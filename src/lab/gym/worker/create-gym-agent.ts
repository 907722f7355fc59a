/** The agent of the gym: its decisions come from outside the episode, one action at a time. */
import { type Actions, type Agent, type Briefing, defineAgent, type Observation } from '#spec'
import { parseAction } from '../parse-action.ts'
import { GYM_SOLVER } from './gym-job.ts'

/** The information that the agent receives at the start of the episode. */
export interface AgentStart {
  readonly episode: string
  readonly briefing: Briefing
  readonly actions: Actions['available']
}

export interface AgentReply {
  readonly observation: Observation
  /** Whether the episode is over: the agent has submitted, or a budget is spent. */
  readonly isLast: boolean
}

export interface GymAgent {
  readonly agent: Agent
  /** Resolves when the agent has received its briefing. */
  readonly started: Promise<AgentStart>
  /** Performs one action. Never settles if the episode ends during the action. Calls must not overlap. */
  act(action: unknown): Promise<AgentReply>
  /** Ends the agent without a submission. */
  giveUp(): void
  /** Makes the agent fail, because its caller has abandoned the episode. */
  abandon(): void
}

interface Request {
  readonly action: unknown
  reply(reply: AgentReply): void
}

const perform = async (
  actions: Actions,
  raw: unknown,
): Promise<{ observation: Observation; isEnd: boolean }> => {
  const { name, input, mistake } = parseAction(raw)
  const observation = await actions.call(name, input)
  if (mistake === undefined) return { observation, isEnd: name === 'submit' && observation.ok }
  return { observation: { ...observation, text: `${mistake} ${observation.text}` }, isEnd: false }
}

/** Rejects when the budget of the agent is spent. */
const whenSpent = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

export const createGymAgent = (): GymAgent => {
  const started = Promise.withResolvers<AgentStart>()
  const abandoned = Promise.withResolvers<never>()
  abandoned.promise.catch(() => {})
  let waiting = Promise.withResolvers<Request | 'give-up'>()
  const agent = defineAgent({
    name: GYM_SOLVER,
    about: 'an agent outside Remedium, which acts through the gym',
    roles: [],
    async *solve({ episode, briefing, actions, signal, waitOutside }) {
      const spent = whenSpent(signal)
      spent.catch(() => {})
      started.resolve({ episode, briefing, actions: actions.available })
      for (;;) {
        signal.throwIfAborted()
        const next = Promise.race([waiting.promise, spent, abandoned.promise])
        const request = await waitOutside(next)
        if (request === 'give-up') return
        const { action, reply } = request
        waiting = Promise.withResolvers()
        const { observation, isEnd } = await perform(actions, action)
        reply({ observation, isLast: isEnd || signal.aborted })
        if (isEnd) return
        // A generator must yield; the agent reports no thoughts.
        yield* []
      }
    },
  })
  return {
    agent,
    started: started.promise,
    act: (action) => new Promise((reply) => waiting.resolve({ action, reply })),
    giveUp: () => waiting.resolve('give-up'),
    abandon: () => abandoned.reject(new Error('the caller of the gym has abandoned the episode')),
  }
}
