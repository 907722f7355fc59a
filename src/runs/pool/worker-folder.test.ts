/** Tests of the folders of workers: whose are swept, and whose are not. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { thisProcess } from '../../linux/index.ts'
import { createWorkerFolder, sweepWorkerFolders } from './worker-folder.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'worker-folder-'))
  vi.stubEnv('TMPDIR', home)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

/** As one of a process that was once this one's neighbour, and is no more. */
const makeOrphan = (): string => {
  const { pidNamespace, pid, startTime } = thisProcess()
  const path = join(home, `remedium-worker-${pidNamespace.replace(/\D/g, '')}-${pid}-${startTime + 1}-abc123`)
  mkdirSync(path)
  return path
}

it('sweeps those whose worker and owner are gone, and nothing else', () => {
  const own = createWorkerFolder()
  const orphan = makeOrphan()
  const strangers = ['remedium-worker-abc123', 'remedium-worker-1-2-3-abc123', 'something']
  for (const name of strangers) mkdirSync(join(home, name))
  expect(sweepWorkerFolders()).toBe(1)
  expect(existsSync(orphan)).toBe(false)
  expect(
    [own.path, ...strangers.map((name) => join(home, name))].filter((path) => !existsSync(path)),
  ).toEqual([])
  own.remove()
  expect(existsSync(own.path)).toBe(false)
})

it('leaves one alone in which somebody still works', async () => {
  const orphan = makeOrphan()
  const worker = spawn('sleep', ['60'], { env: { ...process.env, TMPDIR: orphan } })
  // Before it is another program, it has the environment of this one.
  await expect.poll(() => readFileSync(`/proc/${worker.pid}/environ`, 'utf8')).toContain(orphan)
  expect(sweepWorkerFolders()).toBe(0)
  expect(existsSync(orphan)).toBe(true)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  sweepWorkerFolders()
  expect(existsSync(orphan)).toBe(false)
})

it('can be passed by agents that are somebody else, and looked through by its owner alone', () => {
  const own = createWorkerFolder()
  expect(statSync(own.path).mode & 0o777).toBe(0o711)
  own.remove()
})

it.runIf(process.getuid?.() === 0)('leaves those of other users alone', () => {
  const orphan = makeOrphan()
  chownSync(orphan, 65_534, 65_534)
  expect(sweepWorkerFolders()).toBe(0)
  expect(existsSync(orphan)).toBe(true)
})
