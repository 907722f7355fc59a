/** What becomes of an episode whose model cannot be had: a real agent asks a real server. */
import { afterEach, expect, it } from 'vitest'
import { agentSolver } from '../aci/index.ts'
import { loadAgent } from '../agents/index.ts'
import { type ModelOptions, openModel } from '../models/index.ts'
import { createScriptedServer, type ScriptedServer, type ServerAnswer } from '../models/testing/index.ts'
import type { Agent } from '../spec/index.ts'
import { act } from './act.ts'
import { attempt } from './attempt.ts'
import { driftOf } from './event-log.ts'
import { createInjection } from './inject.ts'
import { createFakeLab, toProblem } from './testing/fake-lab.ts'

let server: ScriptedServer
afterEach(() => server.close())

const play = async (answer: ServerAnswer) => {
  server = await createScriptedServer(() => answer)
  const { core } = createFakeLab()
  const agent = await loadAgent('solo-gen', {})
  const model = openModel('compatible:scripted', { env: {}, baseUrl: server.url })
  const solver = agentSolver({
    agent,
    models: Object.fromEntries(agent.roles.map((role) => [role, model])),
    playbooks: { run: async () => ({ ok: true, tasks: [], output: '' }) },
  })
  const problem = toProblem([])
  const { task, system, budget } = problem
  return attempt(core, {
    problem,
    solver,
    injection: createInjection(core),
    before: [],
    zero: core.time.precise(),
    drift: driftOf(core.time),
    briefing: { task, system, namespace: 'little', report: { kind: 'none', text: '' }, budget },
  })
}

/** Whoever asks once, and waits for the answer; its time is half a second. */
const patient: Agent = {
  name: 'patient',
  about: 'asks once',
  roles: ['one'],
  async *solve({ model }) {
    yield { thought: (await model('one').ask({ messages: [{ role: 'user', content: 'Well?' }] })).text }
  },
}

const wait = async (answer: ServerAnswer, options: ModelOptions = {}) => {
  server = await createScriptedServer((_, place) => (place === 0 ? { text: 'ready' } : answer))
  const { core, log } = createFakeLab()
  const open = (more: ModelOptions) =>
    openModel('compatible:scripted', { env: {}, baseUrl: server.url, ...more })
  // What has to be loaded for the first question may take longer than all of this.
  await open({}).ask({ messages: [{ role: 'user', content: 'Are you there?' }] })
  const model = open(options)
  await act(core, log, {
    solver: agentSolver({ agent: patient, models: { one: model } }),
    briefing: {
      task: 'mitigation',
      system: 'little',
      namespace: 'little',
      budget: { steps: 3, seconds: 0.5 },
      report: { kind: 'none', text: '' },
    },
    injection: createInjection(core),
  })
  return log.events.at(-1)
}

it.each<[string, ServerAnswer, ModelOptions]>([
  ['wants to be asked later', { status: 429, headers: { 'retry-after': '30' } }, {}],
  ['hangs', { trouble: 'hang' }, { timeoutMs: 100, backoffMs: 1, tries: 99 }],
])('is not held against an agent whose time ends while the model %s', async (_, answer, options) => {
  await expect(wait(answer, options)).rejects.toMatchObject({
    code: 'model-failed',
    blame: 'provider',
    message: expect.stringMatching(/came to nothing took \d of the agent's 0.5 s; the last one: compatible/),
  })
})

it('is held against an agent whose model just takes long', async () => {
  expect(await wait({ trouble: 'hang' })).toMatchObject({ outcome: 'budget-spent' })
})

it.each([
  [401, 'wrong key', 'key-missing', 'does not accept the key (401)'],
  [402, 'pay first', 'model-failed', 'refuses (402): pay first'],
  [404, 'no such model', 'model-failed', 'refuses (404): no such model'],
])('is void by the fault of the operator where the model answers %i', async (...given) => {
  const [status, message, code, words] = given
  const { verdict, events } = await play({ status, message })
  expect(verdict).toMatchObject({
    outcome: 'void',
    blame: 'operator',
    reason: expect.stringContaining(words),
  })
  expect(events.at(-1)).toMatchObject({ type: 'harness-failed', code, blame: 'operator' })
})
