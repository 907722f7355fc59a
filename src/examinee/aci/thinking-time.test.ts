/** Tests how much time the thinking of an agent takes on a simulated cluster. */
import { expect, it } from 'vitest'
import { defined } from '#kit'
import type { Agent, LanguageModel } from '#spec'
import { agentSolver } from './agent-solver.ts'
import { createFakeContext } from './testing/fake-context.ts'

const agent: Agent = {
  name: 'tested',
  about: 'An agent for tests',
  roles: ['coder'],
  async *solve({ model, waitOutside }) {
    await model('coder').ask({ messages: [{ role: 'user', content: 'hello' }] })
    yield { thought: 'wait for a program' }
    await waitOutside(new Promise((resolve) => setTimeout(resolve, 20)))
  },
}

const coder: LanguageModel = {
  name: 'fake:one',
  ask: async () => ({
    ...{ text: 'hm', toolCalls: [], usage: { input: 10, output: 2 }, finish: 'stop' as const },
    ...{ tries: 1, milliseconds: 4000 },
  }),
}

/** The times that the thinking of the agent takes. */
const timesOf = async (isThinkingTimed?: boolean): Promise<number[]> => {
  const times: number[] = []
  const { context } = createFakeContext()
  const waitOutside: typeof context.waitOutside = async (work, millisecondsOf = () => 0) => {
    const result = await work
    times.push(Math.round(millisecondsOf(result)))
    return result
  }
  const solver = agentSolver({ agent, models: { coder }, ...defined({ isThinkingTimed }) })
  await solver.solve({ ...context, waitOutside })
  return times
}

it('passes by the time that a model and a program took', async () => {
  const [model, program] = await timesOf()
  expect(model).toBe(4000)
  expect(program).toBeGreaterThanOrEqual(19)
})

it('does not pass if thinking takes no time', async () => {
  expect(await timesOf(false)).toEqual([0, 0])
})
