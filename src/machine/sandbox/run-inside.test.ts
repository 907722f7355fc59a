/** Tests that failures of the machine are not blamed on the agent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRealClock } from '#kit'
import { type RunParts, runInside } from './run-inside.ts'
import { DEFAULT_LIMITS } from './sandbox-limits.ts'
import { parseServerAddress } from './server-address.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'run-inside-'))
})
afterAll(() => rmSync(home, { recursive: true }))

/** The parts of a run that fails before the program is started. */
const partsOf = (more: Partial<RunParts>): RunParts =>
  ({
    id: 'run-1',
    limits: DEFAULT_LIMITS,
    clock: createRealClock({ keepsAlive: true }),
    request: { command: ['true'] },
    address: parseServerAddress('http://127.0.0.1:6443'),
    folder: join(home, 'run-1'),
    stateFolder: home,
    cgroup: 'none',
    cgroups: { remove: () => true },
    ...more,
  }) as RunParts

it.each([
  ['its folder cannot be created', () => ({ folder: join(home, 'missing', 'run-1') })],
  ['its network cannot be created', () => ({ address: { ...partsOf({}).address, inside: 'nowhere' } })],
])('blames the machine if %s', async (_, more) => {
  await expect(runInside(partsOf(more()))).rejects.toMatchObject({
    name: 'RemediumError',
    code: 'tool-failed',
    blame: 'environment',
    message: expect.stringContaining('A sandbox could not be run ('),
  })
})
