/** Plays whole episodes with a real system and real faults on the simulated engine: verdicts, reset, and equal records. */
import { expect, it } from 'vitest'
import { doNothing, openLaboratory, referenceSolver } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { loadSuite } from '#exam/problems'
import { createSimEngine } from '#platform/engines/sim'
import type { Problem, Solver } from '#spec'
import { loadSystem } from '#world/systems'

const SYSTEM = 'online-boutique'
const SECRET = 'secret'

const findProblem = async (fault: string): Promise<Problem> => {
  const problems = await loadSuite('smoke', { system: SYSTEM })
  return problems.find(({ faults }) => faults.length === 1 && faults[0]!.fault === fault)!
}

const openLab = async () => {
  const system = await loadSystem(SYSTEM)
  const engine = createSimEngine({
    onError: (source, error) => expect.unreachable(`${source}: ${(error as Error).stack}`),
  })
  const cluster = await engine.provision(system)
  const lab = await openLaboratory({
    cluster,
    system,
    faults: await loadFaults(),
    seed: 'lab',
    engine: 'sim',
  })
  return { cluster, lab }
}

type OpenLab = Awaited<ReturnType<typeof openLab>>

const play = async ({ lab }: OpenLab, problem: Problem, reference: boolean) => {
  const incident = await lab.prepare(problem, { secret: SECRET })
  const solver: Solver = reference ? referenceSolver(incident) : doNothing
  const outcome = await incident.attempt(solver)
  await incident.restore()
  return outcome
}

const close = async ({ cluster, lab }: OpenLab): Promise<void> => {
  await lab.close()
  await cluster.clock.run(() => cluster.close())
}

it('resolves a problem with the reference, not without, and resets the cluster between episodes', async () => {
  const opened = await openLab()
  const problem = await findProblem('address-wrong')
  const verdicts = []
  for (const reference of [false, true, true])
    verdicts.push((await play(opened, problem, reference)).verdict.outcome)
  await close(opened)
  expect(verdicts).toEqual(['unresolved', 'resolved', 'resolved'])
})

it('writes the same record for the same seed, to the byte', async () => {
  const problem = await findProblem('release-slow').then((found) => found ?? findProblem('address-wrong'))
  const record = async (): Promise<string> => {
    const opened = await openLab()
    const { events } = await play(opened, problem, true)
    await close(opened)
    return JSON.stringify(events)
  }
  const first = await record()
  expect(await record()).toBe(first)
})
