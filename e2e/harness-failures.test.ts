/** Tests that episodes which the harness invalidates are blamed on it, retried, and not counted against an agent. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadFault } from '#exam/faults'
import { drawProblem } from '#exam/problems'
import { openLedger, validateSuite } from '#lab/validation'
import type { Failure } from '#lab/workers'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'

const PROGRAM = join(import.meta.dirname, 'testing', 'set-clock-worker.ts')
const KIB = 1024
/** Shorter than Ansible needs, so that the clock changes during the repair. */
const DURING_REPAIR_MS = 500

let home: string
const savedEnvironment: Record<string, string | undefined> = {}
const pathOf = (name: string): string => join(home, name)

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'harness-failures-'))
  for (const name of ['records', 'temporary']) mkdirSync(pathOf(name))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'small-disk', pathOf('records')])
  const environment = {
    REMEDIUM_STATE: pathOf('state'),
    TMPDIR: pathOf('temporary'),
    SET_CLOCK: pathOf('clock-is-set'),
  }
  for (const [name, value] of Object.entries(environment)) {
    savedEnvironment[name] = process.env[name]
    process.env[name] = value
  }
})
afterAll(() => {
  for (const [name, value] of Object.entries(savedEnvironment))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  execFileSync('umount', [pathOf('records')])
  rmSync(home, { recursive: true })
})

/** Fills the small disk completely. */
const fillDisk = (): void => {
  expect(() => writeFileSync(join(pathOf('records'), 'filler'), Buffer.alloc(5 * KIB * KIB))).toThrow(
    'ENOSPC',
  )
}

/** Lists processes of this test's clusters, folders of clusters and temporary files, none of which should remain. */
const findLeftovers = (): string[] => {
  const clusterPids = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`REMEDIUM_CLUSTER=${home}`)
    } catch {
      return false
    }
  })
  const clusters = pathOf('state/clusters')
  return [
    ...clusterPids,
    ...(existsSync(clusters) ? readdirSync(clusters) : []),
    ...readdirSync(pathOf('temporary')),
  ]
}

it('retries an episode after a full disk, a killed engine or a clock jump has invalidated it', async () => {
  // Its user impact does not depend on the speed of the machine.
  const fault = await loadFault('scaled-to-zero')
  const system = createSystemView(await loadSystem('simple-micro'))
  const problem = drawProblem({
    system,
    faults: [fault],
    task: 'mitigation',
    seed: 'harness',
    target: 'hello-service',
  })
  const failures: Failure[] = []
  const workers: number[] = []
  fillDisk()
  const { problems, share, retried } = await validateSuite([problem], {
    faults: new Map([[fault.name, fault]]),
    commonHacks: [],
    systemOf: () => system,
    hackShare: 0,
    seed: '1',
    workers: 1,
    program: PROGRAM,
    records: pathOf('records'),
    ledger: openLedger(undefined, { suite: 'harness', seed: '1', commit: '-' }),
    signal: AbortSignal.timeout(100_000),
    onWorker: ({ pid }) => workers.push(pid),
    onStage(_, text) {
      if (failures.length === 1 && text.endsWith(': do-nothing')) process.kill(workers.at(-1)!, 'SIGKILL')
      if (failures.length === 2 && text.endsWith(': reference'))
        setTimeout(() => writeFileSync(process.env.SET_CLOCK!, ''), DURING_REPAIR_MS)
    },
    onFailure(_, failure) {
      failures.push(failure)
      rmSync(join(pathOf('records'), 'filler'), { force: true })
      rmSync(process.env.SET_CLOCK!, { force: true })
    },
  })

  expect(failures.map(({ code, blame }) => `${code}: ${blame}`)).toEqual([
    'record-lost: harness',
    'cluster-lost: harness',
    'clock-jumped: harness',
  ])
  expect(problems[0]!.attempts).toMatchObject([
    { attempt: 'do-nothing', outcome: 'unresolved', tries: 3 },
    { attempt: 'reference', outcome: 'resolved', tries: 2 },
  ])
  // One worker was killed; another was replaced because its clock differed from that of its clusters.
  expect({ share, retried, workers: workers.length }).toEqual({ share: 100, retried: 2, workers: 3 })
  // The record of each void try is kept beside that of the successful one.
  const records = readdirSync(pathOf('records')).map((name) => name.replace(`${problem.id}.`, ''))
  expect(records.sort()).toEqual([
    'do-nothing.jsonl',
    'do-nothing.void-1.jsonl',
    'do-nothing.void-2.jsonl',
    'reference.jsonl',
    'reference.void-1.jsonl',
  ])
  expect(findLeftovers()).toEqual([])
})
