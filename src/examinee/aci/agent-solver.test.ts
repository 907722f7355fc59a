/** Tests of agents as solvers: their records, their end, and the blame for failures. */
import { describe, expect, it } from 'vitest'
import {
  type Agent,
  type AgentContext,
  type AgentStep,
  type ChatMessage,
  type LanguageModel,
  type ModelAnswer,
  RemediumError,
} from '#spec'
import { agentSolver } from './agent-solver.ts'
import type { Policy } from './policy.ts'
import { createFakeContext } from './testing/fake-context.ts'

const toAgent = (
  solve: (context: AgentContext) => AsyncGenerator<AgentStep, void, void>,
  roles: readonly string[] = [],
): Agent => ({ name: 'tested', about: 'An agent for tests', roles, solve })

const ANSWER: ModelAnswer = {
  text: 'hm',
  toolCalls: [],
  usage: { input: 10, output: 2 },
  costUsd: 0.25,
  finish: 'stop',
  tries: 1,
  milliseconds: 1,
}

const toModel = (ask: LanguageModel['ask'] = async () => ANSWER): LanguageModel => ({ name: 'fake:one', ask })

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

const userMessage = (content: string): ChatMessage => ({ role: 'user', content })

describe('agentSolver', () => {
  it('records thoughts, and ends with submit even if the agent continues', async () => {
    const laterErrors: string[] = []
    const { events, outcome, state, answers } = await solve(
      toAgent(async function* ({ actions }) {
        yield { role: 'coordinator', thought: 'something is wrong' }
        await actions.call('submit', { detected: true })
        yield { thought: 'still here' }
        await actions.call('get_alerts', {}).catch((error: Error) => laterErrors.push(error.message))
        await new Promise(() => {})
      }),
    )
    expect(outcome).toBe('done')
    expect(state.hasGivenUp).toBe(false)
    expect(answers).toEqual([{ detected: true }])
    expect(events[1]).toEqual({
      type: 'thought-noted',
      role: 'coordinator',
      thought: 'something is wrong',
    })
  })

  it('passes the episode id to the agent, and the verdict only with reportsVerdict', async () => {
    let received: Pick<AgentContext, 'episode' | 'onVerdict'> | undefined
    const verdicts: unknown[] = []
    const listeningAgent = toAgent(async function* (context) {
      received = context
      context.onVerdict?.(async (verdict) => void verdicts.push(verdict))
    })
    const { context } = createFakeContext()
    const verdict = { outcome: 'resolved', reward: 1, reason: 'well' } as const
    for (const reportsVerdict of [false, true]) {
      const solver = agentSolver({ agent: listeningAgent, reportsVerdict })
      await solver.solve({ ...context, episode: 'f00d' })
      expect(received!.episode).toBe('f00d')
      await solver.onVerdict!(verdict)
    }
    expect(verdicts).toEqual([verdict])
  })

  it('gives up if the agent returns without submitting', async () => {
    const { outcome, state } = await solve(toAgent(async function* () {}))
    expect(outcome).toBe('done')
    expect(state.hasGivenUp).toBe(true)
  })

  it('rejects with the error that the agent throws', async () => {
    const { outcome } = await solve(
      // biome-ignore lint/correctness/useYield: the agent yields no thoughts.
      toAgent(async function* () {
        throw new TypeError('unexpected')
      }),
    )
    expect(outcome).toBeInstanceOf(TypeError)
  })

  it('requires a model for each role', () => {
    const agent = toAgent(async function* () {}, ['coordinator', 'probe'])
    expect(() => agentSolver({ agent, models: { coordinator: toModel() } })).toThrow(
      'The agent tested needs a language model for its role "probe".',
    )
  })

  it('records model calls, and each message of a conversation once', async () => {
    const { events, steps } = await solve(
      toAgent(
        async function* ({ model: modelOf, actions }) {
          const first = [userMessage('a'), userMessage('b')]
          const { text } = await modelOf('probe').ask({ messages: first })
          yield { thought: text }
          const next: ChatMessage[] = [...first, { role: 'assistant', content: text }, userMessage('c')]
          await modelOf('probe').ask({ messages: next, tools: actions.available.slice(0, 1) })
          await modelOf('probe').ask({ messages: [userMessage('a'), userMessage('z')] })
          await actions.call('submit', {})
        },
        ['probe'],
      ),
      { models: { probe: toModel() } },
    )
    const calls = events.filter(({ type }) => type === 'model-called')
    expect(calls).toEqual([
      { ...toCallEvent([userMessage('a'), userMessage('b')]), tools: [], startsConversation: true },
      {
        ...toCallEvent([userMessage('c')]),
        tools: ['get_alerts'],
        toolDefinitions: [expect.objectContaining({ name: 'get_alerts' })],
      },
      { ...toCallEvent([userMessage('a'), userMessage('z')]), tools: [], startsConversation: true },
    ])
    expect(steps).toEqual([
      expect.objectContaining({ action: 'submit', tokens: { input: 30, output: 6 }, costUsd: 0.75 }),
    ])
  })

  it('records tools when they change, and the sampling settings of the run', async () => {
    const tools = ['look', 'act'].map((name) => ({ name, about: `to ${name}`, input: { type: 'object' } }))
    const sampling = { temperature: 0.5, seed: 3 }
    const requests: unknown[] = []
    const fake = createFakeContext()
    const agent = toAgent(
      // biome-ignore lint/correctness/useYield: the agent yields no thoughts.
      async function* ({ model: modelOf }) {
        for (const offered of [tools, tools, [], tools, tools.slice(1)])
          await modelOf('one').ask({ messages: [userMessage('a')], tools: offered })
      },
      ['one'],
    )
    const recordingModel = toModel(async (request) => {
      requests.push(request.sampling)
      return { ...ANSWER, reasoning: 'because' }
    })
    await agentSolver({ agent, models: { one: recordingModel }, sampling }).solve(fake.context)
    const calls = fake.events.filter((event) => event.type === 'model-called')
    expect(calls.map(({ toolDefinitions }) => toolDefinitions)).toEqual([
      ...[tools, undefined, undefined, undefined, tools.slice(1)],
    ])
    expect(calls.map(({ sampling }) => sampling)).toEqual(Array(5).fill(sampling))
    expect(calls[0]!.answer.reasoning).toBe('because')
    expect(requests).toEqual(Array(5).fill(sampling))
  })

  it('records the briefing and the actions of an agent without a model', async () => {
    const { events, context } = await solve(toAgent(async function* () {}))
    expect(events[0]).toMatchObject({
      type: 'actions-offered',
      briefing: context.briefing,
      actions: expect.arrayContaining([
        { name: 'submit', about: expect.any(String), input: expect.objectContaining({ type: 'object' }) },
      ]),
    })
    const withModel = await solve(
      toAgent(async function* () {}, ['one']),
      { models: { one: toModel() } },
    )
    expect(withModel.events).toEqual([])
  })

  it('continues a conversation with shortened tool results', async () => {
    const toolResult = (content: string): ChatMessage => ({
      role: 'tool',
      content,
      toolCallId: '1',
      toolName: 'look',
    })
    const reply: ChatMessage = { role: 'assistant', content: 'hm' }
    const { events } = await solve(
      toAgent(
        // biome-ignore lint/correctness/useYield: the agent yields no thoughts.
        async function* ({ model: modelOf }) {
          const probe = modelOf('probe')
          await probe.ask({ messages: [userMessage('a'), toolResult('the complete result')] })
          await probe.ask({ messages: [userMessage('a'), toolResult('the'), reply, userMessage('b')] })
        },
        ['probe'],
      ),
      { models: { probe: toModel() } },
    )
    expect(events.filter(({ type }) => type === 'model-called')).toEqual([
      {
        ...toCallEvent([userMessage('a'), toolResult('the complete result')]),
        tools: [],
        startsConversation: true,
      },
      { ...toCallEvent([userMessage('b')]), tools: [] },
    ])
  })

  it('rejects a role that the agent does not declare', async () => {
    const { outcome } = await solve(
      // biome-ignore lint/correctness/useYield: the agent yields no thoughts.
      toAgent(async function* ({ model: modelOf }) {
        modelOf('undeclared')
      }),
    )
    expect(String(outcome)).toContain('declares no role "undeclared"')
  })
})

const toCallEvent = (messages: readonly ChatMessage[]) => ({
  type: 'model-called',
  role: 'probe',
  model: 'fake:one',
  messages,
  answer: ANSWER,
})

describe('the token and cost budget', () => {
  it.each([
    [{ tokens: 24 }, 'the token budget is spent'],
    [{ costUsd: 0.5 }, 'the cost budget is spent'],
  ])('%j ends the episode after two calls', async (budget, reason) => {
    let callCount = 0
    const { outcome, context } = await solve(
      toAgent(
        async function* ({ model: modelOf }) {
          for (;;) {
            await modelOf('one').ask({ messages: [userMessage('again')] })
            callCount += 1
            yield { thought: 'again' }
          }
        },
        ['one'],
      ),
      { policy: { budget }, models: { one: toModel() } },
    )
    expect(callCount).toBe(2)
    expect((context.signal.reason as Error).message).toBe(reason)
    expect(outcome).toBe(context.signal.reason)
  })
})

describe('usage that an agent reports itself', () => {
  const reportingAgent = toAgent(async function* ({ reportUsage, actions }) {
    for (let report = 0; report < 5; report += 1) {
      reportUsage({ tokens: { input: 10, output: 2 }, costUsd: 0.25, model: 'own' })
      yield { thought: 'again' }
      await actions.call('get_alerts', {})
    }
  })

  it.each([
    [{ tokens: 24 }, 'the token budget is spent'],
    [{ costUsd: 0.5 }, 'the cost budget is spent'],
  ])('is recorded, and ends the episode after two reports if the budget is %j', async (budget, reason) => {
    const { events, steps, context, outcome } = await solve(reportingAgent, { policy: { budget } })
    expect(events.filter(({ type }) => type === 'usage-reported')).toEqual(
      Array.from({ length: 2 }, () => ({
        type: 'usage-reported',
        tokens: { input: 10, output: 2 },
        costUsd: 0.25,
        model: 'own',
      })),
    )
    expect(steps[0]).toMatchObject({
      action: 'get_alerts',
      tokens: { input: 10, output: 2 },
      costUsd: 0.25,
    })
    expect((context.signal.reason as Error).message).toBe(reason)
    expect(outcome).toBe(context.signal.reason)
  })
})

describe('a spent time budget', () => {
  /** Returns the excuse for an agent whose time is spent during a model call. */
  const findExcuseDuring = async (ask: LanguageModel['ask']) => {
    const { context } = createFakeContext()
    const called = Promise.withResolvers<void>()
    let findExcuse: () => RemediumError | undefined = () => undefined
    const agent = toAgent(
      async function* ({ model: modelOf }) {
        yield { thought: (await modelOf('one').ask({ messages: [] })).text }
      },
      ['one'],
    )
    const languageModel = toModel((request) => {
      const answer = ask(request)
      setTimeout(called.resolve, 20)
      return answer
    })
    void agentSolver({ agent, models: { one: languageModel } }).solve({
      ...context,
      briefing: { ...context.briefing, budget: { steps: 10, seconds: 0.05 } },
      setExcuse(find) {
        findExcuse = find
      },
    })
    await called.promise
    return findExcuse()
  }

  it('is blamed on the provider if failed attempts took a large share of it', async () => {
    const failure = new RemediumError('tool-failed', 'The provider answers 500.', { blame: 'provider' })
    const excuse = findExcuseDuring(({ onDelay }) => {
      onDelay?.(failure)
      return new Promise(() => {})
    })
    expect(await excuse).toMatchObject({ code: 'model-failed', blame: 'provider', cause: failure })
  })

  it('is blamed on the agent if a model is slow', async () => {
    expect(await findExcuseDuring(() => new Promise(() => {}))).toBeUndefined()
  })
})

describe('a failing provider', () => {
  const failure = new RemediumError('tool-failed', 'The provider answers 500.', { blame: 'provider' })
  const brokenModels = { one: toModel(() => Promise.reject(failure)) }

  it('is blamed even if the agent catches the error', async () => {
    const catchingAgent = toAgent(
      async function* ({ model: modelOf }) {
        await modelOf('one')
          .ask({ messages: [] })
          .catch(() => {})
        yield { thought: 'never mind' }
        throw new Error('something else')
      },
      ['one'],
    )
    expect((await solve(catchingAgent, { models: brokenModels })).outcome).toBe(failure)
  })

  it.each(['bad-argument', 'bad-file'] as const)(
    'is reported as model-failed if it rejects with %s because of a mistake of the operator',
    async (code) => {
      const operatorError = new RemediumError(code, 'The address is missing.', { hint: 'Pass it.' })
      const askingAgent = toAgent(
        async function* ({ model: modelOf }) {
          yield { thought: (await modelOf('one').ask({ messages: [] })).text }
        },
        ['one'],
      )
      const { outcome } = await solve(askingAgent, {
        models: { one: toModel(() => Promise.reject(operatorError)) },
      })
      expect(outcome).toMatchObject({
        code: 'model-failed',
        blame: 'operator',
        message: 'The address is missing.',
        hint: 'Pass it.',
      })
    },
  )

  it('is not blamed if a later call was answered', async () => {
    let isBroken = true
    const flakyModel = toModel(async () => {
      if (!isBroken) return ANSWER
      isBroken = false
      throw failure
    })
    const retryingAgent = toAgent(
      async function* ({ model: modelOf }) {
        await modelOf('one')
          .ask({ messages: [] })
          .catch(() => {})
        await modelOf('one').ask({ messages: [] })
        yield { thought: 'now' }
        throw new Error('my own')
      },
      ['one'],
    )
    expect(String((await solve(retryingAgent, { models: { one: flakyModel } })).outcome)).toBe(
      'Error: my own',
    )
  })
})
