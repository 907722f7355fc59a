/** What a machine refuses to a sandbox is not told as the doing of whoever wrote the program. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRealClock } from '../kit/index.ts'
import { type RunParts, runInside } from './run-inside.ts'
import { DEFAULT_LIMITS } from './sandbox-limits.ts'
import { parseServerAddress } from './server-address.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'run-inside-'))
})
afterAll(() => rmSync(home, { recursive: true }))

/** Of a run that does not come as far as a program. */
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
  ['its folder cannot be made', () => ({ folder: join(home, 'missing', 'run-1') })],
  ['its network cannot be made', () => ({ address: { ...partsOf({}).address, inside: 'nowhere' } })],
])('blames the machine where %s', async (_, more) => {
  await expect(runInside(partsOf(more()))).rejects.toMatchObject({
    name: 'RemediumError',
    code: 'tool-failed',
    blame: 'environment',
    message: expect.stringContaining('A sandbox could not be run ('),
  })
})
