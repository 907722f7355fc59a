/** Orphans of real processes. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { childReaper } from './index.ts'
import { createStrayLook } from './stray-children.ts'

const isZombie = (pid: number): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

it('lets go of a dead orphan at the second look, and of none that somebody waits for', async () => {
  childReaper()
  const { stdout } = spawnSync('sh', ['-c', 'sleep 0.01 & echo $!; sleep 0.01 & echo $!'], {
    encoding: 'utf8',
  })
  const [stray, awaited] = stdout.trim().split('\n').map(Number)
  const look = createStrayLook((pid) => pid === awaited)
  await expect.poll(() => isZombie(stray!) && isZombie(awaited!)).toBe(true)
  look()
  expect(isZombie(stray!)).toBe(true)
  look()
  expect(existsSync(`/proc/${stray}`)).toBe(false)
  expect(isZombie(awaited!)).toBe(true)
  expect(await new Promise((resolve) => childReaper().adopt(awaited!, resolve))).toEqual({ exitCode: 0 })
})
