/** Tests that pod names and image tags are drawn from a secret, so that an agent cannot derive them from the problem. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idleSolver, type Laboratory, openLaboratory, referenceSolver } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { judgeRecord } from '#exam/oracles'
import { createLocalEngine } from '#platform/engines/local'
import type { ApiObject, EngineCluster, Fault, Problem, System } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'

const SERVICE = 'time-service'
const PROBLEM: Problem = {
  id: 'slow',
  system: 'simple-micro',
  task: 'mitigation',
  report: 'symptoms',
  seed: 's',
  faults: [{ fault: 'release-slow', target: { service: SERVICE }, params: {}, shape: { kind: 'sudden' } }],
  budget: { steps: 10, seconds: 60 },
}

let system: System
let faults: ReadonlyMap<string, Fault>
let cluster: EngineCluster
let lab: Laboratory

beforeAll(async () => {
  system = await loadSystem('simple-micro')
  faults = await loadFaults()
  cluster = await createLocalEngine().provision(system, { seed: 'one' })
  lab = await openLaboratory({ cluster, system, faults, seed: 'one' })
})
afterAll(async () => {
  await lab?.close()
  await cluster?.close()
})

const listPods = async (): Promise<ApiObject[]> => {
  const { items } = await cluster.api.list({ apiVersion: 'v1', plural: 'pods', namespace: 'simple-micro' })
  return items.filter(({ metadata }) => metadata.name.startsWith(SERVICE))
}

interface NodeImage {
  readonly names: readonly string[]
  readonly sizeBytes: number
}

const listNodeImages = async (): Promise<NodeImage[]> => {
  const { items } = await cluster.api.list({ apiVersion: 'v1', plural: 'nodes' })
  return items.flatMap(({ status }) => (status as { images: NodeImage[] }).images)
}

/** Nodes report new images with their next status. */
const POLL = { timeout: 30_000, interval: 500 }

it('gives the same defect different tags in different episodes', async () => {
  const images: string[] = []
  for (const secret of ['a', 'b', 'c', 'd']) {
    const incident = await lab.prepare(PROBLEM, { secret })
    expect(incident.hasImpact, secret).toBe(true)
    const image = String(incident.faults[0]!.state.image)
    images.push(image)
    expect((await listPods()).map(({ spec }) => JSON.stringify(spec)).join()).toContain(image)
    const solver = secret === 'a' ? referenceSolver(incident) : idleSolver(incident)
    const { events, verdict } = await incident.attempt(solver)
    expect(verdict.outcome, verdict.reason).toBe(secret === 'a' ? 'resolved' : 'unresolved')
    // Judging the record needs neither the secret nor the cluster.
    expect(events.find((event) => event.type === 'episode-started')).toMatchObject({ secret })
    expect(judgeRecord(events, createSystemView(system), faults)).toEqual(verdict)
    await incident.restore()
  }
  expect(new Set(images).size).toBeGreaterThan(1)
})

it('removes bad releases of earlier episodes from nodes, and gives good and bad releases the same size', async () => {
  const secret = 'e'
  const incident = await lab.prepare(PROBLEM, { secret })
  const image = String(incident.faults[0]!.state.image)
  const listReleases = async (): Promise<NodeImage[]> =>
    (await listNodeImages()).filter(({ names }) => names.some((name) => name.includes('/python:')))
  const listTags = async (): Promise<string[]> =>
    [...new Set((await listReleases()).map(({ names }) => names.at(-1)!.split('/').at(-1)!))].sort()
  await expect.poll(listTags, POLL).toEqual(['python:3.9-slim', image].sort())
  expect(new Set((await listReleases()).map(({ sizeBytes }) => sizeBytes)).size).toBe(1)
  await incident.restore()
})

it('gives pods different names with another secret', async () => {
  const before = (await listPods()).map(({ metadata }) => metadata.name)
  const other = await createLocalEngine().provision(system, { seed: 'two' })
  try {
    const { items } = await other.api.list({ apiVersion: 'v1', plural: 'pods', namespace: 'simple-micro' })
    expect(items.map(({ metadata }) => metadata.name).filter((name) => before.includes(name))).toEqual([])
  } finally {
    await other.close()
  }
})
