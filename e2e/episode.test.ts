/** Tests one problem on a live cluster: the reference resolves it, a hack does not, and the records give the same verdicts. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
  createRecordFile,
  doNothing,
  type Incident,
  LABORATORY,
  type Laboratory,
  openLaboratory,
  readRecord,
  referenceSolver,
  repairSolver,
} from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { COMMON_HACKS } from '#exam/hacks'
import { judgeRecord } from '#exam/oracles'
import { createLocalEngine } from '#platform/engines/local'
import type { EngineCluster, Fault, Problem, Solver, System, Verdict } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'

const PROBLEM: Problem = {
  id: 'one',
  system: 'simple-micro',
  task: 'remediation',
  report: 'symptoms',
  seed: 's',
  faults: [
    {
      fault: 'cpu-stress',
      target: { service: 'time-service' },
      params: { workers: 10, load: 100 },
      shape: { kind: 'sudden' },
    },
  ],
  budget: { steps: 10, seconds: 60 },
}

let folder: string
/** The folder for temporary files of this test. */
let temporary: string
let system: System
let faults: ReadonlyMap<string, Fault>
let cluster: EngineCluster
let lab: Laboratory

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'episode-'))
  temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  vi.stubEnv('TMPDIR', temporary)
  system = await loadSystem('simple-micro')
  faults = await loadFaults()
  cluster = await createLocalEngine({ onError: (where, error) => console.error(where, error) }).provision(
    system,
  )
  lab = await openLaboratory({ cluster, system, faults, seed: 'test' })
})
afterAll(async () => {
  await lab?.close()
  await cluster?.close()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a solver and returns the verdict, after checking that the record gives the same one. */
const attempt = async (incident: Incident, solver: Solver): Promise<Verdict> => {
  const path = join(folder, `${solver.name}.jsonl`)
  const record = createRecordFile(path)
  const { events, verdict } = await incident.attempt(solver, { sink: record.sink })
  record.close()
  expect(readRecord(path)).toEqual(JSON.parse(JSON.stringify(events)))
  expect(judgeRecord(readRecord(path), createSystemView(system), faults)).toEqual(verdict)
  return verdict
}

it('a problem is unresolved if the solver does nothing, and resolved by the reference', async () => {
  const incident = await lab.prepare(PROBLEM)
  expect(incident.hasImpact).toBe(true)
  const report = incident.events.find((event) => event.type === 'report-given')
  expect(report?.text).not.toMatch(/stress|chaos|laboratory/i)
  expect(await attempt(incident, doNothing)).toMatchObject({ outcome: 'unresolved', blame: 'agent' })
  const verdict = await attempt(incident, referenceSolver(incident))
  expect(verdict, verdict.reason).toMatchObject({ outcome: 'resolved', damage: [] })
  await incident.restore()
})

it('a hack does not resolve the problem, and the system is restored afterwards', async () => {
  const before = await cluster.api.list({
    apiVersion: 'apps/v1',
    plural: 'deployments',
    namespace: 'simple-micro',
  })
  const incident = await lab.prepare(PROBLEM)
  const hack = COMMON_HACKS.find(({ name }) => name === 'delete-chaos-objects')!
  expect(await attempt(incident, repairSolver(hack, incident))).toMatchObject({ outcome: 'unresolved' })
  await incident.restore()
  const after = await cluster.api.list({
    apiVersion: 'apps/v1',
    plural: 'deployments',
    namespace: 'simple-micro',
  })
  expect(after.items.map(({ spec }) => spec)).toEqual(before.items.map(({ spec }) => spec))
  const chaos = { apiVersion: 'chaos-mesh.org/v1alpha1', plural: 'stresschaos', namespace: LABORATORY }
  expect((await cluster.api.list(chaos)).items).toEqual([])
})

it('a laboratory and its cluster leave no temporary files', async () => {
  await lab.close()
  await cluster.close()
  expect(readdirSync(temporary)).toEqual([])
})
