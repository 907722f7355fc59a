/** Tests that the symptoms report on a live cluster describes the fault, and not the rollout that injects it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Laboratory, openLaboratory } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { createLocalEngine } from '#platform/engines/local'
import type { EngineCluster, FaultTarget, ParameterValues, Problem } from '#spec'
import { loadSystem } from '#world/systems'

const SYSTEM = 'simple-micro'

let cluster: EngineCluster
let lab: Laboratory

beforeAll(async () => {
  const system = await loadSystem(SYSTEM)
  cluster = await createLocalEngine({ onError: (where, error) => console.error(where, error) }).provision(
    system,
  )
  lab = await openLaboratory({ cluster, system, faults, seed: 'test' })
})
afterAll(async () => {
  await lab?.close()
  await cluster?.close()
})

const faults = await loadFaults()

/** The parameters have their defaults. */
const toParameters = (fault: string): ParameterValues =>
  Object.fromEntries(
    Object.entries(faults.get(fault)!.parameters).map(([name, declared]) => [name, declared.default]),
  )

const toProblem = (fault: string, target: FaultTarget): Problem => ({
  id: fault,
  system: SYSTEM,
  task: 'remediation',
  report: 'symptoms',
  seed: 's',
  faults: [{ fault, target, params: toParameters(fault), shape: { kind: 'sudden' } }],
  budget: { steps: 10, seconds: 60 },
})

const prepareReport = async (fault: string, target: FaultTarget) => {
  const incident = await lab.prepare(toProblem(fault, target))
  const impact = incident.events.find((event) => event.type === 'user-impact-observed')
  const report = incident.events.find((event) => event.type === 'report-given')
  await incident.restore()
  expect(incident.hasImpact, fault).toBe(true)
  return { text: report!.text, impact }
}

it('names larger latencies for a slow release, and no failure of its rollout', async () => {
  const { text } = await prepareReport('release-slow', { service: 'time-service' })
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
  const { text } = await prepareReport('release-failing-endpoint', { service: 'hello-service' })
  expect(text).not.toMatch(/refused|0 of 1 pods|not ready,|hello-service\S*: Unhealthy/)
  expect(text).toMatch(/Errors in traces, the most frequent first:\n- .* \(\d+ times?\)/)
})

it('names the refused connections of a release that listens on the wrong port', async () => {
  const { text } = await prepareReport('release-wrong-port', { service: 'time-service' })
  expect(text).toMatch(/refused/)
})

it('describes the time after the rollout that injects dns-misdirected', async () => {
  const target = { service: 'hello-service', upstream: 'time-service' }
  const { text, impact } = await prepareReport('dns-misdirected', target)
  expect(impact!.since, text).toBeGreaterThan(0)
  expect(text).not.toMatch(/0 of 1 pods|not ready,|Unhealthy/)
})

it('names larger latencies for bandwidth-cap, and no failure of its rollout', async () => {
  const { text, impact } = await prepareReport('bandwidth-cap', { service: 'time-service' })
  expect(impact!.since, text).toBeGreaterThan(0)
  // A readiness probe may time out because of the fault.
  expect(text).not.toMatch(/refused|ContainerCreating|FailedCreatePodSandBox/)
  const [, now, before] = /journey hello: .*?median (\d+) ms, (\d+) ms before/.exec(text) ?? []
  expect(Number(now), text).toBeGreaterThan(2 * Number(before))
})
