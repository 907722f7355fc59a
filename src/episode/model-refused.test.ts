/** What becomes of an episode whose model cannot be had: a real agent asks a real server. */
import { afterEach, expect, it } from 'vitest'
import { agentSolver } from '../aci/index.ts'
import { loadAgent } from '../agents/index.ts'
import { openModel } from '../models/index.ts'
import { createScriptedServer, type ScriptedServer, type ServerAnswer } from '../models/testing/index.ts'
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
    ...{ problem, solver, injection: createInjection(core), before: [] },
    ...{ zero: core.time.precise(), drift: driftOf(core.time) },
    briefing: { task, system, namespace: 'little', report: { kind: 'none', text: '' }, budget },
  })
}

it.each([
  [401, 'wrong key', 'key-missing', 'does not accept the key (401)'],
  [402, 'pay first', 'model-failed', 'refuses (402): pay first'],
  [404, 'no such model', 'model-failed', 'refuses (404): no such model'],
])('is void by the fault of the operator where the model answers %i', async (...given) => {
  const [status, message, code, words] = given
  const { verdict, events } = await play({ status, message })
  expect(verdict).toMatchObject({
    ...{ outcome: 'void', blame: 'operator', reason: expect.stringContaining(words) },
  })
  expect(events.at(-1)).toMatchObject({ type: 'harness-failed', code, blame: 'operator' })
})
