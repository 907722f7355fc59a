/** Tests of `remedium cluster prune` without a cluster. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from '../../testing/run-command.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'prune-'))
  vi.stubEnv('TMPDIR', home)
  vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

const prune = async (...args: string[]): Promise<string> => {
  const { code, out } = await runCommand('cluster', 'prune', ...args)
  expect(code).toBe(0)
  return out
}

/** Creates the folder of a worker process that has ended. */
const makeOrphan = (suffix: string): void => {
  const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  mkdirSync(join(home, `remedium-worker-${namespace}-${process.pid}-1-${suffix}`))
}

it('removes and counts the worker folders that a killed run left behind', async () => {
  makeOrphan('abc123')
  makeOrphan('def456')
  expect(JSON.parse(await prune('--json'))).toMatchObject({ removed: [], workers: 2 })
  expect(readdirSync(home)).toEqual([])
  makeOrphan('abc123')
  expect(await prune()).toMatch(/^Removed the leftovers of .*a worker\.\n$/)
  expect(await prune()).not.toContain('worker')
})
