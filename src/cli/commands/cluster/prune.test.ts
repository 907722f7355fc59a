/** Tests of `remedium cluster prune` as far as no cluster is needed. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runHere } from '../../testing/run-here.ts'

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
  const { code, out } = await runHere('cluster', 'prune', ...args)
  expect(code).toBe(0)
  return out
}

/** Of a process that was there when the machine was started, and is no more. */
const makeOrphan = (letters: string): void => {
  const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  mkdirSync(join(home, `remedium-worker-${namespace}-${process.pid}-1-${letters}`))
}

it('removes the folders that the workers of a killed run have left, and says so', async () => {
  makeOrphan('abc123')
  makeOrphan('def456')
  expect(JSON.parse(await prune('--json'))).toMatchObject({ removed: [], workers: 2 })
  expect(readdirSync(home)).toEqual([])
  makeOrphan('abc123')
  expect(await prune()).toMatch(/^Removed what was left of .*a worker\.\n$/)
  expect(await prune()).not.toContain('worker')
})
