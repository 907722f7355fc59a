/** Tests of the clock of the operating system. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRealClock } from './real-clock.ts'

const DAY_MS = 86_400_000

describe('createRealClock', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('waits longer than a single Node.js timer can', () => {
    const task = vi.fn()
    createRealClock().after(60 * DAY_MS, task)
    vi.advanceTimersByTime(59 * DAY_MS)
    expect(task).not.toHaveBeenCalled()
    vi.advanceTimersByTime(DAY_MS)
    expect(task).toHaveBeenCalledOnce()
  })

  it('cancels a wait that is longer than a single Node.js timer', () => {
    const task = vi.fn()
    const timer = createRealClock().after(60 * DAY_MS, task)
    vi.advanceTimersByTime(59 * DAY_MS)
    timer.cancel()
    vi.advanceTimersByTime(30 * DAY_MS)
    expect(task).not.toHaveBeenCalled()
  })

  it('keeps a process alive for deferred tasks, but not for timers', () => {
    const script = `
      const { createRealClock } = await import(${JSON.stringify(join(import.meta.dirname, 'real-clock.ts'))})
      const clock = createRealClock()
      clock.after(60_000, () => console.log('timer'))
      clock.defer(() => console.log('deferred'))
    `
    const args = ['--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, args, { timeout: 10_000, encoding: 'utf8' })).toBe('deferred\n')
  })
})
