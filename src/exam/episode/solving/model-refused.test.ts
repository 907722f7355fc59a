/** Tests episodes whose model is unavailable: a real agent calls a real server. */
import { afterEach, expect, it } from 'vitest'
import { agentSolver } from '#examinee/aci'
import { loadAgent } from '#examinee/agents'
import { type ModelOptions, openModel } from '#examinee/models'
import { createScriptedServer, type ScriptedServer, type ServerAnswer } from '#examinee/models/testing'
import type { Agent } from '#spec'
import { prepareIncident } from '../incident.ts'
import { solve } from '../stages/solve.ts'
import { createFakeLab, toJourneyRun, toProblem, toSolveInputs } from '../testing/fake-lab.ts'

let server: ScriptedServer
afterEach(() => server.close())

/** Returns the outcome of an attempt whose model server always gives this answer. */
const attemptWith = async (answer: ServerAnswer) => {
  server = await createScriptedServer(() => answer)
  const { equipment } = createFakeLab()
  const agent = await loadAgent('solo-gen', {})
  const model = openModel('compatible:scripted', { env: {}, baseUrl: server.url })
  const solver = agentSolver({
    agent,
    models: Object.fromEntries(agent.roles.map((role) => [role, model])),
    playbooks: {
      run: async () => ({ ok: true, isRefused: false, findings: [], tasks: [], output: '', milliseconds: 1 }),
    },
  })
  const problem = toProblem([])
  for (let count = 0; count < 8; count += 1) equipment.journeys.healthy.add(toJourneyRun())
  Object.assign(equipment.users, { load: equipment.system.workload!.load })
  Object.assign(equipment.cluster.telemetry!, { flush: async () => {}, sql: async () => [] })
  Object.assign(equipment.cluster.telemetry!.query, { graph: async () => [] })
  const incident = await prepareIncident(equipment, problem, { waitsForImpact: false })
  return incident.attempt(solver)
}

/** Asks once and waits for the answer; its budget is half a second. */
const askingAgent: Agent = {
  name: 'patient',
  about: 'asks once',
  roles: ['one'],
  async *solve({ model }) {
    yield { thought: (await model('one').ask({ messages: [{ role: 'user', content: 'Well?' }] })).text }
  },
}

const runAskingAgent = async (answer: ServerAnswer, options: ModelOptions = {}) => {
  server = await createScriptedServer((_, index) => (index === 0 ? { text: 'ready' } : answer))
  const { equipment, log } = createFakeLab()
  const openScriptedModel = (modelOptions: ModelOptions) =>
    openModel('compatible:scripted', { env: {}, baseUrl: server.url, ...modelOptions })
  // Loading the SDK for the first call may take longer than the budget.
  await openScriptedModel({}).ask({ messages: [{ role: 'user', content: 'Are you there?' }] })
  const model = openScriptedModel(options)
  await solve.run({
    equipment,
    log,
    solver: agentSolver({ agent: askingAgent, models: { one: model } }),
    ...toSolveInputs(equipment, { steps: 3, seconds: 0.5 }),
  })
  return log.events.at(-1)
}

it.each<[string, ServerAnswer, ModelOptions]>([
  ['asks to retry later', { status: 429, headers: { 'retry-after': '30' } }, {}],
  ['hangs', { failure: 'hang' }, { timeoutMs: 100, backoffMs: 1, tries: 99 }],
])('excuses an agent whose time ends while the model %s', async (_, answer, options) => {
  await expect(runAskingAgent(answer, options)).rejects.toMatchObject({
    code: 'model-failed',
    blame: 'provider',
    message: expect.stringMatching(
      /^Failed model calls took \d of the agent's 0.5 s. The last error: compatible/,
    ),
  })
})

it('does not excuse an agent whose model is slow', async () => {
  expect(await runAskingAgent({ failure: 'hang' })).toMatchObject({ outcome: 'budget-spent' })
})

it.each([
  [401, 'wrong key', 'key-missing', 'does not accept the key (401)'],
  [402, 'pay first', 'model-failed', 'rejected the request (402): pay first'],
  [404, 'no such model', 'model-failed', 'rejected the request (404): no such model'],
])('blames the operator for a void episode if the model answers %i', async (...testCase) => {
  const [status, message, code, reason] = testCase
  const { verdict, events } = await attemptWith({ status, message })
  expect(verdict).toMatchObject({
    outcome: 'void',
    blame: 'operator',
    reason: expect.stringContaining(reason),
  })
  expect(events.at(-2)).toMatchObject({ type: 'harness-failed', code, blame: 'operator' })
  expect(events.at(-1)).toMatchObject({ type: 'verdict-given', verdict: { outcome: 'void', code } })
})
