/** Agents as solvers: what is written of them, when they end, and who is blamed. */
import { describe, expect, it } from 'vitest'
import {
  type Agent,
  type AgentContext,
  type AgentStep,
  type ChatMessage,
  type LanguageModel,
  type ModelAnswer,
  RemediumError,
} from '../spec/index.ts'
import { agentSolver } from './agent-solver.ts'
import type { Policy } from './policy.ts'
import { createFakeContext } from './testing/fake-context.ts'

const toAgent = (
  solve: (context: AgentContext) => AsyncGenerator<AgentStep, void, void>,
  roles: readonly string[] = [],
): Agent => ({ name: 'tested', about: 'What a test needs', roles, solve })

const ANSWER: ModelAnswer = {
  text: 'hm',
  toolCalls: [],
  usage: { input: 10, output: 2 },
  costUsd: 0.25,
  finish: 'stop',
  tries: 1,
  milliseconds: 1,
}

const model = (ask: LanguageModel['ask'] = async () => ANSWER): LanguageModel => ({ name: 'fake:one', ask })

const solve = async (agent: Agent, { policy = {}, models = {} as Record<string, LanguageModel> } = {}) => {
  const fake = createFakeContext()
  const outcome = await agentSolver({ agent, models, policy: policy as Policy })
    .solve(fake.context)
    .then(
      () => 'done',
      (error: unknown) => error,
    )
  return { ...fake, outcome }
}

const user = (content: string): ChatMessage => ({ role: 'user', content })

describe('an agent', () => {
  it('has its thoughts recorded, and ends with submit whatever it wanted to do then', async () => {
    const after: string[] = []
    const { events, outcome, state, answers } = await solve(
      toAgent(async function* ({ actions }) {
        yield { role: 'coordinator', thought: 'something is wrong' }
        await actions.call('submit', { detected: true })
        yield { thought: 'still here' }
        await actions.call('get_alerts', {}).catch((error: Error) => after.push(error.message))
        await new Promise(() => {})
      }),
    )
    expect(outcome).toBe('done')
    expect(state.hasGivenUp).toBe(false)
    expect(answers).toEqual([{ detected: true }])
    expect(events[0]).toEqual({
      type: 'thought-noted',
      role: 'coordinator',
      thought: 'something is wrong',
    })
  })

  it('that returns without submitting has given up', async () => {
    const { outcome, state } = await solve(toAgent(async function* () {}))
    expect(outcome).toBe('done')
    expect(state.hasGivenUp).toBe(true)
  })

  it('that throws has failed by itself', async () => {
    const { outcome } = await solve(
      // biome-ignore lint/correctness/useYield: it has nothing to say.
      toAgent(async function* () {
        throw new TypeError('I am lost')
      }),
    )
    expect(outcome).toBeInstanceOf(TypeError)
  })

  it('needs a model for each of its parts', () => {
    const agent = toAgent(async function* () {}, ['coordinator', 'probe'])
    expect(() => agentSolver({ agent, models: { coordinator: model() } })).toThrow(
      'The agent tested needs a language model for its part "probe".',
    )
  })

  it('has what it asks models recorded, and each message of a conversation once', async () => {
    const { events, steps } = await solve(
      toAgent(
        async function* ({ model: of, actions }) {
          const first = [user('a'), user('b')]
          const { text } = await of('probe').ask({ messages: first })
          yield { thought: text }
          const next: ChatMessage[] = [...first, { role: 'assistant', content: text }, user('c')]
          await of('probe').ask({ messages: next, tools: actions.available.slice(0, 1) })
          await of('probe').ask({ messages: [user('a'), user('z')] })
          await actions.call('submit', {})
        },
        ['probe'],
      ),
      { models: { probe: model() } },
    )
    const calls = events.filter(({ type }) => type === 'model-called')
    expect(calls).toEqual([
      { ...call([user('a'), user('b')]), tools: [], begins: true },
      { ...call([user('c')]), tools: ['get_alerts'] },
      { ...call([user('a'), user('z')]), tools: [], begins: true },
    ])
    expect(steps).toEqual([
      expect.objectContaining({ action: 'submit', tokens: { input: 30, output: 6 }, costUsd: 0.75 }),
    ])
  })

  it('goes on with a conversation of which it has left something out', async () => {
    const seen = (content: string): ChatMessage => ({
      role: 'tool',
      content,
      toolCallId: '1',
      toolName: 'look',
    })
    const said: ChatMessage = { role: 'assistant', content: 'hm' }
    const { events } = await solve(
      toAgent(
        // biome-ignore lint/correctness/useYield: it has nothing to say.
        async function* ({ model: of }) {
          const probe = of('probe')
          await probe.ask({ messages: [user('a'), seen('all that there is')] })
          await probe.ask({ messages: [user('a'), seen('all'), said, user('b')] })
        },
        ['probe'],
      ),
      { models: { probe: model() } },
    )
    expect(events.filter(({ type }) => type === 'model-called')).toEqual([
      { ...call([user('a'), seen('all that there is')]), tools: [], begins: true },
      { ...call([user('b')]), tools: [] },
    ])
  })

  it('cannot have a part that it does not declare', async () => {
    const { outcome } = await solve(
      // biome-ignore lint/correctness/useYield: it has nothing to say.
      toAgent(async function* ({ model: of }) {
        of('nobody')
      }),
    )
    expect(String(outcome)).toContain('declares no part "nobody"')
  })
})

const call = (messages: readonly ChatMessage[]) => ({
  type: 'model-called',
  role: 'probe',
  model: 'fake:one',
  messages,
  answer: ANSWER,
})

describe('budgets of tokens and money', () => {
  it.each([
    [{ tokens: 24 }, 'the tokens of the budget are spent'],
    [{ costUsd: 0.5 }, 'the money of the budget is spent'],
  ])('of %j end the episode after two calls', async (budget, reason) => {
    let asked = 0
    const { outcome, context } = await solve(
      toAgent(
        async function* ({ model: of }) {
          for (;;) {
            await of('one').ask({ messages: [user('again')] })
            asked += 1
            yield { thought: 'again' }
          }
        },
        ['one'],
      ),
      { policy: { budget }, models: { one: model() } },
    )
    expect(asked).toBe(2)
    expect((context.signal.reason as Error).message).toBe(reason)
    expect(outcome).toBe(context.signal.reason)
  })
})

describe('a budget of time', () => {
  /** The excuse that is found when the time is spent while a model is asked. */
  const spendWhile = async (ask: LanguageModel['ask']) => {
    const { context } = createFakeContext()
    const asked = Promise.withResolvers<void>()
    let findExcuse: () => RemediumError | undefined = () => undefined
    const agent = toAgent(
      async function* ({ model: of }) {
        yield { thought: (await of('one').ask({ messages: [] })).text }
      },
      ['one'],
    )
    const one = model((request) => {
      const answer = ask(request)
      setTimeout(asked.resolve, 20)
      return answer
    })
    void agentSolver({ agent, models: { one } }).solve({
      ...context,
      briefing: { ...context.briefing, budget: { steps: 10, seconds: 0.05 } },
      excuseBy(find) {
        findExcuse = find
      },
    })
    await asked.promise
    return findExcuse()
  }

  it("is the provider's where failed tries took a good part of it", async () => {
    const later = new RemediumError('tool-failed', 'The provider answers 500.', { blame: 'provider' })
    const failing = spendWhile(({ onDelay }) => {
      onDelay?.(later)
      return new Promise(() => {})
    })
    expect(await failing).toMatchObject({ code: 'model-failed', blame: 'provider', cause: later })
  })

  it("is the agent's where a model is slow", async () => {
    expect(await spendWhile(() => new Promise(() => {}))).toBeUndefined()
  })
})

describe('a provider that fails', () => {
  const failure = new RemediumError('tool-failed', 'The provider answers 500.', { blame: 'provider' })
  const broken = { one: model(() => Promise.reject(failure)) }

  it('is blamed, also where the agent hides it', async () => {
    const hiding = toAgent(
      async function* ({ model: of }) {
        await of('one')
          .ask({ messages: [] })
          .catch(() => {})
        yield { thought: 'never mind' }
        throw new Error('something else')
      },
      ['one'],
    )
    expect((await solve(hiding, { models: broken })).outcome).toBe(failure)
  })

  it.each(['bad-argument', 'bad-file'] as const)(
    'by %s of the operator is told as a model that cannot be had',
    async (code) => {
      const wrong = new RemediumError(code, 'Nobody says where it is.', { hint: 'Say it.' })
      const asking = toAgent(
        async function* ({ model: of }) {
          yield { thought: (await of('one').ask({ messages: [] })).text }
        },
        ['one'],
      )
      const { outcome } = await solve(asking, { models: { one: model(() => Promise.reject(wrong)) } })
      expect(outcome).toMatchObject({
        code: 'model-failed',
        blame: 'operator',
        message: 'Nobody says where it is.',
        hint: 'Say it.',
      })
    },
  )

  it('is not blamed where the agent got over it', async () => {
    let isBroken = true
    const moody = model(async () => {
      if (!isBroken) return ANSWER
      isBroken = false
      throw failure
    })
    const patient = toAgent(
      async function* ({ model: of }) {
        await of('one')
          .ask({ messages: [] })
          .catch(() => {})
        await of('one').ask({ messages: [] })
        yield { thought: 'now' }
        throw new Error('my own')
      },
      ['one'],
    )
    expect(String((await solve(patient, { models: { one: moody } })).outcome)).toBe('Error: my own')
  })
})
