/** Shows that `remedium run` plays live episodes, goes on where it was killed, and leaves nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunSummary, readRun } from '../src/runs/index.ts'

const REMEDIUM = join(import.meta.dirname, '..', 'remedium')
const AGENTS = ['--agent', 'reference', '--agent', 'null']

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'run-command-'))
  mkdirSync(join(home, 'tmp'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const start = (args: readonly string[]): ChildProcess =>
  spawn(REMEDIUM, ['run', '--out', join(home, 'run'), '--workers', '1', '--any-commit', ...args], {
    env: { ...process.env, REMEDIUM_STATE: join(home, 'state'), TMPDIR: join(home, 'tmp'), CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })

const ended = async (child: ChildProcess) => {
  const texts = { out: '', err: '' }
  child.stdout!.on('data', (part) => {
    texts.out += part
  })
  child.stderr!.on('data', (part) => {
    texts.err += part
  })
  const code = await new Promise((resolve) =>
    child.once('close', (status, signal) => resolve(status ?? signal)),
  )
  return { code, ...texts }
}

/** Whether something says so within the time of the test. */
const heard = (child: ChildProcess, word: string): Promise<void> =>
  new Promise((resolve) => {
    let text = ''
    child.stderr!.on('data', (part) => {
      text += part
      if (text.includes(word)) resolve()
    })
  })

const leftovers = (): string[] => {
  const clusters = join(home, 'state', 'clusters')
  const marked = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(home)
    } catch {
      return false
    }
  })
  const folders = [clusters, join(home, 'tmp')].filter(existsSync)
  return [...marked, ...folders.flatMap((folder) => readdirSync(folder))]
}

it('plays, is killed, goes on, and gives every verdict once', async () => {
  // Two problems, of which the first is played by both before it is killed.
  const args = ['easy', '--system', 'simple-micro', '--limit', '2', ...AGENTS]
  const first = start(args)
  const told = ended(first)
  await heard(first, '2/4')
  process.kill(-first.pid!, 'SIGKILL')
  expect((await told).code).toBe('SIGKILL')
  const before = readRun(join(home, 'run')).results
  expect(before.length).toBeGreaterThanOrEqual(2)

  const { code, out, err } = await ended(start([...args, '--json']))
  expect({ code, err }).toMatchObject({ code: 0 })
  const summary = JSON.parse(out) as RunSummary & { folder: string }
  expect(
    summary.contenders.map(({ name, resolved, episodes, voided }) => [name, resolved, episodes, voided]),
  ).toEqual([
    ['reference', 2, 2, 0],
    ['null', 0, 2, 0],
  ])
  const lines = readFileSync(join(home, 'run', 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line).episode).sort()).toEqual(
    [...new Set(lines.map((line) => JSON.parse(line).episode))].sort(),
  )
  expect(lines).toHaveLength(4)
  expect(readRun(join(home, 'run')).results.slice(0, before.length)).toEqual(before)
  expect(readdirSync(join(home, 'run', 'records'))).toHaveLength(4)
  await expect.poll(leftovers).toEqual([])
})
