/** Tests that the symptoms report on a live cluster describes the fault, and not the rollout that injects it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Laboratory, openLaboratory } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { createLocalEngine } from '#platform/engines/local'
import type { EngineCluster, Problem } from '#spec'
import { loadSystem } from '#world/systems'

const SYSTEM = 'simple-micro'

let cluster: EngineCluster
let lab: Laboratory

beforeAll(async () => {
  const system = await loadSystem(SYSTEM)
  cluster = await createLocalEngine({ onError: (where, error) => console.error(where, error) }).provision(
    system,
  )
  lab = await openLaboratory({ cluster, system, faults: await loadFaults(), seed: 'test' })
})
afterAll(async () => {
  await lab?.close()
  await cluster?.close()
})

const toProblem = (fault: string, service: string): Problem => ({
  id: fault,
  system: SYSTEM,
  task: 'remediation',
  report: 'symptoms',
  seed: 's',
  faults: [{ fault, target: { service }, params: {}, shape: { kind: 'sudden' } }],
  budget: { steps: 10, seconds: 60 },
})

const prepareReport = async (fault: string, service: string): Promise<string> => {
  const incident = await lab.prepare(toProblem(fault, service))
  expect(incident.hasImpact).toBe(true)
  const report = incident.events.find((event) => event.type === 'report-given')
  await incident.restore()
  return report!.text
}

it('names larger latencies for a slow release, and no failure of its rollout', async () => {
  const text = await prepareReport('release-slow', 'time-service')
  expect(text).not.toMatch(/refused|0 of 1 pods|not ready,|time-service\S*: Unhealthy/)
  const journeys = [
    ...text.matchAll(/journey \S+: (\d+) % of \d+ runs failed.*?median (\d+) ms, (\d+) ms before/g),
  ]
  expect(journeys.length, text).toBeGreaterThan(0)
  for (const [, failed] of journeys) expect(Number(failed), text).toBe(0)
  expect(
    journeys.some(([, , now, before]) => Number(now) > 2 * Number(before)),
    text,
  ).toBe(true)
})

it('names failed requests for a release with a failing endpoint, and no failure of its rollout', async () => {
  const text = await prepareReport('release-failing-endpoint', 'hello-service')
  expect(text).not.toMatch(/refused|0 of 1 pods|not ready,|hello-service\S*: Unhealthy/)
  expect(text).toMatch(/Errors in traces, the most frequent first:\n- .* \(\d+ times?\)/)
})

it('names the refused connections of a release that listens on the wrong port', async () => {
  expect(await prepareReport('release-wrong-port', 'time-service')).toMatch(/refused/)
})
