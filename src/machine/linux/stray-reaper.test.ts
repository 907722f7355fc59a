/** Tests the reaping of orphans, with real processes. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { childReaper } from './index.ts'
import { createStrayReaper } from './stray-reaper.ts'

const isZombie = (pid: number): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

it('reaps a zombie at the second call, unless it is awaited', async () => {
  childReaper()
  const { stdout } = spawnSync('sh', ['-c', 'sleep 0.01 & echo $!; sleep 0.01 & echo $!'], {
    encoding: 'utf8',
  })
  const [stray, awaited] = stdout.trim().split('\n').map(Number)
  const reapStrays = createStrayReaper((pid) => pid === awaited)
  await expect.poll(() => isZombie(stray!) && isZombie(awaited!)).toBe(true)
  reapStrays()
  expect(isZombie(stray!)).toBe(true)
  reapStrays()
  expect(existsSync(`/proc/${stray}`)).toBe(false)
  expect(isZombie(awaited!)).toBe(true)
  expect(await new Promise((resolve) => childReaper().adopt(awaited!, resolve))).toEqual({ exitCode: 0 })
})
