/** Tests how processes are identified where there is no /proc. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { preciseNow } from '#kit'
import { askPs, isAlive, thisProcess } from './process-identity.ts'

it.runIf(spawnSync('ps', ['-p', '1']).error === undefined)('asks ps for the start of a process', () => {
  const startedAt = preciseNow() - process.uptime() * 1000
  const stat = askPs(process.pid)!
  expect(Math.abs(stat.startTime - startedAt)).toBeLessThan(5000)
  expect(stat.state).toMatch(/^[RSD]$/)
  expect(askPs(2 ** 22 + 1)).toBeUndefined()
})

it('is alive only while the process runs', () => {
  expect(isAlive(thisProcess())).toBe(true)
  expect(isAlive({ ...thisProcess(), startTime: 1 })).toBe(false)
})
