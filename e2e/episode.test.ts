/** One problem on a live cluster: who does nothing fails, the reference passes, a hack fails, and records say so again later. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createLocalEngine } from '../src/engines/local/index.ts'
import {
  createRecordFile,
  doNothing,
  hackSolver,
  LABORATORY,
  type Lab,
  openLab,
  type Prepared,
  readRecord,
  referenceSolver,
} from '../src/episode/index.ts'
import { loadFaults } from '../src/faults/index.ts'
import { COMMON_HACKS } from '../src/hacks/index.ts'
import { judgeRecord } from '../src/oracles/index.ts'
import type { EngineCluster, Fault, Problem, Solver, System, Verdict } from '../src/spec/index.ts'
import { createSystemView } from '../src/system-view/index.ts'
import { loadSystem } from '../src/systems/index.ts'

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
/** Where programs of this test put what they need for a while. */
let temporary: string
let system: System
let faults: ReadonlyMap<string, Fault>
let cluster: EngineCluster
let lab: Lab

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
  lab = await openLab({ cluster, system, faults, seed: 'test' })
})
afterAll(async () => {
  await lab?.close()
  await cluster?.close()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** The verdict, once it was proved that its record gives the same one later. */
const tryIt = async (prepared: Prepared, solver: Solver): Promise<Verdict> => {
  const path = join(folder, `${solver.name}.jsonl`)
  const record = createRecordFile(path)
  const { events, verdict } = await prepared.attempt(solver, { sink: record.sink })
  record.close()
  expect(readRecord(path)).toEqual(JSON.parse(JSON.stringify(events)))
  expect(judgeRecord(readRecord(path), createSystemView(system), faults)).toEqual(verdict)
  return verdict
}

it('is unresolved by who does nothing, and resolved by the reference', async () => {
  const prepared = await lab.prepare(PROBLEM)
  expect(prepared.shown).toBe(true)
  expect(prepared.report).not.toMatch(/stress|chaos|laboratory/i)
  expect(await tryIt(prepared, doNothing)).toMatchObject({ outcome: 'unresolved', blame: 'agent' })
  const verdict = await tryIt(prepared, referenceSolver(prepared))
  expect(verdict, verdict.reason).toMatchObject({ outcome: 'resolved', damage: [] })
  await prepared.restore()
})

it('is not resolved by a hack, and restored as it was', async () => {
  const before = await cluster.api.list({
    apiVersion: 'apps/v1',
    plural: 'deployments',
    namespace: 'simple-micro',
  })
  const prepared = await lab.prepare(PROBLEM)
  const hack = COMMON_HACKS.find(({ name }) => name === 'delete-chaos-objects')!
  expect(await tryIt(prepared, hackSolver(hack, prepared))).toMatchObject({ outcome: 'unresolved' })
  await prepared.restore()
  const after = await cluster.api.list({
    apiVersion: 'apps/v1',
    plural: 'deployments',
    namespace: 'simple-micro',
  })
  expect(after.items.map(({ spec }) => spec)).toEqual(before.items.map(({ spec }) => spec))
  const chaos = { apiVersion: 'chaos-mesh.org/v1alpha1', plural: 'stresschaos', namespace: LABORATORY }
  expect((await cluster.api.list(chaos)).items).toEqual([])
})

it('leaves nothing behind', async () => {
  await lab.close()
  await cluster.close()
  expect(readdirSync(temporary)).toEqual([])
})
