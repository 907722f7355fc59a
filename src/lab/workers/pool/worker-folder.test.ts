/** Tests the removal of worker folders whose owners have ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { thisProcess } from '#machine/host'
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

/** Creates a folder of a worker whose parent process no longer exists. */
const makeOrphan = (): string => {
  const { pidNamespace, pid, startTime } = thisProcess()
  const path = join(home, `remedium-worker-${pidNamespace.replace(/\D/g, '')}-${pid}-${startTime + 1}-abc123`)
  mkdirSync(path)
  return path
}

it('sweeps folders whose worker and parent are gone, and no others', () => {
  const folder = createWorkerFolder()
  const orphan = makeOrphan()
  const otherNames = ['remedium-worker-abc123', 'remedium-worker-1-2-3-abc123', 'something']
  for (const name of otherNames) mkdirSync(join(home, name))
  expect(sweepWorkerFolders()).toBe(1)
  expect(existsSync(orphan)).toBe(false)
  expect(
    [folder.path, ...otherNames.map((name) => join(home, name))].filter((path) => !existsSync(path)),
  ).toEqual([])
  folder.remove()
  expect(existsSync(folder.path)).toBe(false)
})

it('keeps a folder that a process still uses', async () => {
  const orphan = makeOrphan()
  const worker = spawn('sleep', ['60'], { env: { ...process.env, TMPDIR: orphan } })
  // Before exec, the child has the environment of this process.
  await expect.poll(() => readFileSync(`/proc/${worker.pid}/environ`, 'utf8')).toContain(orphan)
  expect(sweepWorkerFolders()).toBe(0)
  expect(existsSync(orphan)).toBe(true)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  sweepWorkerFolders()
  expect(existsSync(orphan)).toBe(false)
})

it('creates a folder that other users can traverse, but not list', () => {
  const folder = createWorkerFolder()
  expect(statSync(folder.path).mode & 0o777).toBe(0o711)
  folder.remove()
})

it.runIf(process.getuid?.() === 0)('keeps folders of other users', () => {
  const orphan = makeOrphan()
  chownSync(orphan, 65_534, 65_534)
  expect(sweepWorkerFolders()).toBe(0)
  expect(existsSync(orphan)).toBe(true)
})
