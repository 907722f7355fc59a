/** Tests the single-file build of the gym: its size, and that it plays an episode with nothing but Node.js. */
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitForExit } from '../testing/remedium-home.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BUNDLE = 'remedium-gym.mjs'
const SYSTEM = ['--suite', 'easy', '--system', 'simple-micro', '--engine', 'sim', '--workers', '1']

let folder: string
let built: { readonly stdout: string }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  const script = join(ROOT, 'scripts', 'bundle.ts')
  built = await promisify(execFile)(process.execPath, [
    script,
    'gym',
    '--quick',
    '--out',
    join(folder, 'built'),
  ])
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Plays an episode over JSON lines, and returns the replies and the record. */
const play = async (program: readonly string[], cwd: string) => {
  const records = join(cwd, 'records')
  // Without the PATH, nothing of this machine can be used.
  const env = { PATH: '', HOME: cwd, TMPDIR: cwd }
  const args = [...program, 'stdio', ...SYSTEM, '--records', records]
  const child = spawn(process.execPath, args, { cwd, env })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = waitForExit(child)
  const ask = async (method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ id: 1, method, params })}\n`)
    return JSON.parse((await lines.next()).value ?? '')
  }
  const ready = JSON.parse((await lines.next()).value ?? '')
  const first = await ask('reset', { seed: 1 })
  const looked = await ask('step', { action: { name: 'get_objects', input: { kind: 'pods' } } })
  const end = await ask('step', { action: { name: 'submit', input: {} } })
  child.stdin.end()
  const { code, err } = await ended
  const [record] = readdirSync(records)
  return { ready, first, looked, end, code, err, record: readFileSync(join(records, record!), 'utf8') }
}

it('leaves 35 of 40 MB to the compressed Node.js', () => {
  const [, size] = /remedium-gym\.mjs: ([\d.]+) MB of at most 5\.0 MB/.exec(built.stdout) ?? []
  expect(Number(size)).toBeLessThanOrEqual(5)
  expect(built.stdout).toMatch(/together: [\d.]+ MB of at most 40\.0 MB/)
})

it('plays the same episode as the sources, in a folder with nothing else', async () => {
  const [empty, other] = [join(folder, 'empty'), join(folder, 'other')]
  for (const path of [empty, other]) mkdirSync(path)
  cpSync(join(folder, 'built', BUNDLE), join(empty, BUNDLE))
  const bundled = await play([BUNDLE], empty)
  expect(bundled).toMatchObject({
    ready: { ready: { engine: 'sim', problems: 23 } },
    looked: { result: { observation: { ok: true }, terminated: false } },
    end: { result: { reward: 0, terminated: true, info: { verdict: { outcome: 'unresolved' } } } },
    code: 0,
    err: '',
  })
  expect(readdirSync(empty).sort()).toEqual(['records', BUNDLE].sort())
  const sources = await play([join(ROOT, 'src/lab/cli/main.ts'), 'gym'], other)
  expect(bundled.record).toBe(sources.record)
})

it('refuses the engine local', async () => {
  const args = [join(folder, 'built', BUNDLE), 'stdio', '--engine', 'local']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const { code, err } = await waitForExit(child)
  expect(err).toContain('use --engine sim')
  expect(code).not.toBe(0)
})
