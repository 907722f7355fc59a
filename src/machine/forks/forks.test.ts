/** Tests processes that fork at points of a program: what they keep, how they end, and that nothing stays behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { canFork } from '#machine/host'
import { type ForkedProcess, type ForkRoot, startForks } from './index.ts'

const PROGRAM = join(import.meta.dirname, 'testing/counting-program.ts')
const SUPERVISOR = join(import.meta.dirname, 'testing/supervisor-program.ts')

interface Answer {
  readonly words: readonly string[]
  readonly pid: number
  readonly hash: string
  readonly count: number
}

const ask = (process: ForkedProcess, message: string): Promise<Answer> =>
  new Promise((resolve) => {
    process.onMessage((answer) => resolve(answer as Answer))
    process.send(message)
  })

/** A zombie has ended. */
const isRunning = (pid: number): boolean => {
  const path = `/proc/${pid}/stat`
  return existsSync(path) && !/\) [ZX] /.test(readFileSync(path, 'latin1'))
}

const whenEnded = async (pids: readonly number[]): Promise<void> => {
  while (pids.some(isRunning)) await sleep(10)
}

describe.runIf(canFork())('forks', () => {
  // Longer than the address of a socket can be.
  const folder = mkdtempSync(join(tmpdir(), `forks-test-${'x'.repeat(120)}-`))
  let root: ForkRoot
  beforeAll(async () => {
    root = await startForks({
      program: PROGRAM,
      flags: ['--disable-warning=ExperimentalWarning'],
      environment: process.env,
      folder,
    })
  })
  afterAll(async () => {
    await root?.close()
    rmSync(folder, { recursive: true })
  })

  it('continue with the state of the process, and do not see each other', async () => {
    const branch = await root.fork('a')
    const [one, other] = await Promise.all([branch.fork('b'), branch.fork('c')])
    const answers = await Promise.all([ask(one, 'x'), ask(other, 'y')])
    expect(answers.map(({ words }) => words)).toEqual([
      ['root', 'a', 'b', 'x'],
      ['root', 'a', 'c', 'y'],
    ])
    expect(answers.map(({ pid }) => pid)).toEqual([one.pid, other.pid])
    expect(answers[0]!.hash).toBe(answers[1]!.hash)
    expect((await ask(one, 'z')).words).toEqual(['root', 'a', 'b', 'x', 'z'])
    expect((await ask(await branch.fork('d'), 'w')).words).toEqual(['root', 'a', 'd', 'w'])
    branch.end()
    await whenEnded([branch.pid, one.pid, other.pid])
  })

  it.each(['die', 'exit'])('end alone (%s)', async (message) => {
    const branch = await root.fork('a')
    const [lost, kept] = await Promise.all([branch.fork('b'), branch.fork('c')])
    lost.send(message)
    await lost.ended
    expect((await ask(kept, 'x')).words).toEqual(['root', 'a', 'c', 'x'])
    branch.end()
  })

  it('are killed while they hang', async () => {
    const branch = await root.fork('a')
    const process = await branch.fork('b')
    process.send('hang')
    await sleep(50)
    process.end()
    await process.ended
    await whenEnded([process.pid])
    expect((await ask(await branch.fork('c'), 'x')).words).toEqual(['root', 'a', 'c', 'x'])
    branch.end()
  })

  it('cannot be ordered from a process that has ended', async () => {
    const branch = await root.fork('a')
    branch.end()
    await branch.ended
    await expect(branch.fork('b')).rejects.toMatchObject({ code: 'cluster-lost' })
  })

  it('end with their supervisor, also if they hang', async () => {
    const other = mkdtempSync(join(tmpdir(), 'forks-test-'))
    onTestFinished(() => rmSync(other, { recursive: true }))
    const supervisor: ChildProcess = spawn(process.execPath, [SUPERVISOR, PROGRAM, other], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(supervisor.stdout!, 'data')) as [Buffer]
    const pids = JSON.parse(String(line)) as number[]
    expect(pids.every(isRunning)).toBe(true)
    supervisor.kill('SIGKILL')
    await whenEnded(pids)
  })
})
