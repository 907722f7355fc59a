/** Tests that a validation removes the leftovers of killed workers, even if it fails. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openLedger } from '#lab/validation'
import { validateProblems } from './validate-problems.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'validate-problems-'))
  vi.stubEnv('TMPDIR', home)
  vi.stubEnv('REMEDIUM_STATE', join(home, 'state'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

it('removes the folders of killed workers', async () => {
  const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  mkdirSync(join(home, `remedium-worker-${namespace}-${process.pid}-1-abc123`))
  const validation = validateProblems([], {
    faults: new Map(),
    commonHacks: [],
    hackShare: 0,
    seed: 's',
    workers: 1,
    systemOf: (name) => {
      throw new Error(`unexpected system ${name}`)
    },
    ledger: openLedger(undefined, { suite: 'none', seed: 'own', commit: 'unknown' }),
    signal: new AbortController().signal,
  })
  await expect(validation).rejects.toThrow('No attempts are selected')
  expect(readdirSync(home)).toEqual([])
})
