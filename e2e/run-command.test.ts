/** Tests `remedium run` and MicroRemed's commands on live clusters. A killed run can be resumed, and leaves nothing. */
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunSummary, readRun } from '#lab/runs'
import { makeRemediumHome, type RemediumHome, waitForExit } from './testing/remedium-home.ts'

let home: RemediumHome
beforeAll(() => {
  home = makeRemediumHome('run-command')
})
afterAll(() => home.remove())

/** Waits until the child has written the text to stderr. */
const waitForOutput = (child: ChildProcess, expected: string): Promise<void> =>
  new Promise((resolve) => {
    let text = ''
    child.stderr!.on('data', (part) => {
      text += part
      if (text.includes(expected)) resolve()
    })
  })

it('a run is resumed after a kill, with one verdict per episode', async () => {
  const folder = join(home.path, 'run')
  const args = [
    ...['run', 'easy', '--system', 'simple-micro', '--limit', '1', '--agent', 'reference', '--agent', 'null'],
    ...['--out', folder, '--workers', '1', '--any-commit'],
  ]
  const first = home.start(args)
  const ended = waitForExit(first)
  await waitForOutput(first, '1/2')
  process.kill(-first.pid!, 'SIGKILL')
  expect((await ended).code).toBe('SIGKILL')
  const before = readRun(folder).results
  expect(before.length).toBeGreaterThanOrEqual(1)

  const { code, out, err } = await home.run([...args, '--json'])
  expect({ code, err }).toMatchObject({ code: 0 })
  const summary = JSON.parse(out) as RunSummary & { folder: string }
  expect(
    summary.contenders.map(({ name, resolved, episodes, voided }) => [name, resolved, episodes, voided]),
  ).toEqual([
    ['reference', 1, 1, 0],
    ['null', 0, 1, 0],
  ])
  const lines = readFileSync(join(folder, 'results.jsonl'), 'utf8').trim().split('\n')
  expect(new Set(lines.map((line) => JSON.parse(line).episode)).size).toBe(2)
  expect(lines).toHaveLength(2)
  expect(readRun(folder).results.slice(0, before.length)).toEqual(before)
  const records = readdirSync(join(folder, 'records')).map((name) =>
    readFileSync(join(folder, 'records', name), 'utf8'),
  )
  expect(records).toHaveLength(2)
  for (const record of records) expect(record).not.toContain('micro-remed-checked')
  await expect.poll(home.leftovers).toEqual([])
})

/** Reads the last event of the only record of a run. */
const readLastEvent = (folder: string): unknown => {
  const [name] = readdirSync(join(folder, 'records'))
  return JSON.parse(
    readFileSync(join(folder, 'records', name!), 'utf8')
      .trim()
      .split('\n')
      .at(-1)!,
  )
}

it("plays MicroRemed's experiments, writes conversation files, and records the command in each run", async () => {
  const [logs, out, saved] = [join(home.path, 'logs'), join(home.path, 'custom'), join(home.path, 'saved')]
  const options = ['--save-path', saved, '--remediate-method', 'null', '--workers', '1', '--out', out]
  const custom = ['inject-and-remediate', '--experiments', '1', ...options]
  const level = ['--level', 'easy', '--limit', '1']
  const runAll = ['run-all', 'simple-micro', logs, '-', '--method', 'null', '--method', 'expert', ...level]
  for (const args of [custom, runAll]) expect(await home.run(args)).toMatchObject({ code: 0 })
  for (const [args, folder, files] of [
    [custom, out, saved],
    [runAll, join(logs, 'run_null_easy'), join(logs, 'conversations', 'null_easy')],
  ] as const) {
    expect(readRun(folder).manifest.command).toBe(`remedium ${args.join(' ')}`)
    const names = readdirSync(files)
    expect(names).toEqual([expect.stringMatching(/_0\.json$/)])
    const { metadata } = JSON.parse(readFileSync(join(files, names[0]!), 'utf8'))
    expect(metadata).toMatchObject({ final_status: 'failed', micro_remed_status: 'failed' })
    expect(readLastEvent(folder)).toMatchObject({ type: 'micro-remed-checked', holds: false })
    expect(readLastEvent(folder)).not.toMatchObject({ evidence: expect.stringContaining('API') })
    expect(readRun(folder).results).toMatchObject([{ passesMicroRemedCheck: false }])
  }
  const repaired = join(logs, 'run_expert_easy')
  expect(readLastEvent(repaired)).toMatchObject({ type: 'micro-remed-checked', holds: true })
  expect(readRun(repaired).results).toMatchObject([{ outcome: 'resolved', passesMicroRemedCheck: true }])
  expect(readFileSync(join(logs, 'null_easy.log'), 'utf8')).toContain(
    "Success rate by MicroRemed's check: 0.00% (0/1; passed but unresolved 0, failed but resolved 0)",
  )
  await expect.poll(home.leftovers).toEqual([])
}, 240_000)
