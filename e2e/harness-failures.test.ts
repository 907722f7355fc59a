/** Shows that what the harness spoils is blamed on it, done again, and counted against nobody. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadFault } from '../src/faults/index.ts'
import { drawProblem } from '../src/problems/index.ts'
import { type Failure, openLedger, validateSuite } from '../src/runs/index.ts'
import { createSystemView } from '../src/system-view/index.ts'
import { loadSystem } from '../src/systems/index.ts'

const PROGRAM = join(import.meta.dirname, 'testing', 'set-clock-worker.ts')
const KIB = 1024
/** Ansible alone takes longer. */
const INTO_THE_FIX_MS = 500

let home: string
const kept: Record<string, string | undefined> = {}
const place = (name: string): string => join(home, name)

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'harness-failures-'))
  for (const name of ['records', 'temporary']) mkdirSync(place(name))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'small-disk', place('records')])
  const own = { REMEDIUM_STATE: place('state'), TMPDIR: place('temporary'), SET_CLOCK: place('clock-is-set') }
  for (const [name, value] of Object.entries(own)) {
    kept[name] = process.env[name]
    process.env[name] = value
  }
})
afterAll(() => {
  for (const [name, value] of Object.entries(kept))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  execFileSync('umount', [place('records')])
  rmSync(home, { recursive: true })
})

/** Fills the small disk to its last page. */
const fillDisk = (): void => {
  expect(() => writeFileSync(join(place('records'), 'filler'), Buffer.alloc(5 * KIB * KIB))).toThrow('ENOSPC')
}

/** Processes whose environment speaks of this test, and control groups of clusters that are no more. */
const leftovers = (): string[] => {
  const marked = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`REMEDIUM_CLUSTER=${home}`)
    } catch {
      return false
    }
  })
  const clusters = place('state/clusters')
  return [
    ...marked,
    ...(existsSync(clusters) ? readdirSync(clusters) : []),
    ...readdirSync(place('temporary')),
  ]
}

it('repeats an episode that a full disk, a killed engine or a set clock has spoilt', async () => {
  // Users feel it on a busy machine, too.
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
  const { problems, share, repeated } = await validateSuite([problem], {
    faults: new Map([[fault.name, fault]]),
    commonHacks: [],
    systemOf: () => system,
    hackShare: 0,
    seed: '1',
    workers: 1,
    program: PROGRAM,
    records: place('records'),
    ledger: openLedger(undefined, { suite: 'harness', seed: '1', commit: '-' }),
    signal: AbortSignal.timeout(100_000),
    onWorker: ({ pid }) => workers.push(pid),
    onStage(_, text) {
      if (failures.length === 1 && text.endsWith(': do-nothing')) process.kill(workers.at(-1)!, 'SIGKILL')
      if (failures.length === 2 && text.endsWith(': reference'))
        setTimeout(() => writeFileSync(process.env.SET_CLOCK!, ''), INTO_THE_FIX_MS)
    },
    onFailure(_, failure) {
      failures.push(failure)
      rmSync(join(place('records'), 'filler'), { force: true })
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
  // One was killed, and one had another time than the clusters that it would have made.
  expect({ share, repeated, workers: workers.length }).toEqual({ share: 100, repeated: 2, workers: 3 })
  expect(readdirSync(place('records')).filter((name) => name.endsWith('.jsonl'))).toHaveLength(2)
  expect(readdirSync(place('records'))).toHaveLength(2)
  expect(leftovers()).toEqual([])
})
