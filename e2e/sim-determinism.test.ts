/** Tests that runs on simulated clusters write the same records in other processes, with other workers and in another time zone. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const PROGRAM = join(import.meta.dirname, '../src/lab/cli/main.ts')
const FAULTS = ['--fault', 'address-wrong', '--fault', 'scaled-to-zero']
const AGENTS = ['--agent', 'expert', '--agent', 'reference', '--agent', 'null']

/** Plays a run as a process of its own, and returns its records by name. */
const playRun = async (folder: string, workers: string, zone: string): Promise<Record<string, string>> => {
  const options = [
    '--engine',
    'sim',
    '--system',
    'online-boutique',
    '--secret',
    'known',
    '--workers',
    workers,
  ]
  await promisify(execFile)(
    process.execPath,
    [PROGRAM, 'run', ...options, ...FAULTS, ...AGENTS, '--out', folder],
    { env: { ...process.env, TZ: zone, LANG: zone === 'UTC' ? 'C' : 'de_DE.UTF-8' } },
  )
  const records = join(folder, 'records')
  return Object.fromEntries(
    readdirSync(records).map((name) => [name, readFileSync(join(records, name), 'utf8')]),
  )
}

it('writes the same records regardless of the process, the number of workers and the time zone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sim-determinism-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const first = await playRun(join(folder, 'first'), '1', 'UTC')
  const second = await playRun(join(folder, 'second'), '2', 'Asia/Kathmandu')
  expect(Object.keys(first).length).toBeGreaterThanOrEqual(3)
  expect(Object.keys(second)).toEqual(Object.keys(first))
  for (const [name, text] of Object.entries(first)) expect(second[name] === text, name).toBe(true)
}, 600_000)
