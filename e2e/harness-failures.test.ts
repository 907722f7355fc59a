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
/** Shorter than Ansible needs: the fix is not finished. */
const DURING_FIX_MS = 500

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

/** Fills the small disk completely. */
const fillDisk = (): void => {
  expect(() => writeFileSync(join(place('records'), 'filler'), Buffer.alloc(5 * KIB * KIB))).toThrow('ENOSPC')
}

/** Processes with this test in their environment, and control groups of clusters that no longer exist. */
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

it('retries an episode that a full disk, a killed engine or a changed clock has invalidated', async () => {
  // Affects users on a busy machine, too.
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
    records: place('records'),
    ledger: openLedger(undefined, { suite: 'harness', seed: '1', commit: '-' }),
    signal: AbortSignal.timeout(100_000),
    onWorker: ({ pid }) => workers.push(pid),
    onStage(_, text) {
      if (failures.length === 1 && text.endsWith(': do-nothing')) process.kill(workers.at(-1)!, 'SIGKILL')
      if (failures.length === 2 && text.endsWith(': reference'))
        setTimeout(() => writeFileSync(process.env.SET_CLOCK!, ''), DURING_FIX_MS)
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
  // One was killed, and one had a different time than the clusters that it would have created.
  expect({ share, retried, workers: workers.length }).toEqual({ share: 100, retried: 2, workers: 3 })
  // The record of the attempt with the changed clock is kept; the others could not be written.
  expect(readdirSync(place('records')).map((name) => name.replace(`${problem.id}.`, ''))).toEqual([
    'do-nothing.jsonl',
    'reference.jsonl',
    'reference.void-1.jsonl',
  ])
  expect(leftovers()).toEqual([])
})
