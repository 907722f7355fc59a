/** Tests the output of the log level `trace`. */
import { expect, it } from 'vitest'
import { TRACE_DUMP_MS, traceDump } from './trace-dump.ts'

it('appends a hex dump for each layer to the line', () => {
  const lines = traceDump('GET / 200').split('\n')
  expect(lines[0]).toBe('GET / 200')
  expect(lines[1]).toBe('TRACE codec 00000000: 47 45 54 20 2f 20 32 30 30 0a 47 45 54 20 2f 20')
  expect(lines).toHaveLength(3073)
})

it('repeats the bytes of the line', () => {
  const lines = traceDump('GET / 200').split('\n')
  expect(lines[2]).toBe('TRACE codec 00000010: 32 30 30 0a 47 45 54 20 2f 20 32 30 30 0a 47 45')
  expect(lines.at(-1)).toBe('TRACE handler 00002ff0: 54 20 2f 20 32 30 30 0a 47 45 54 20 2f 20 32 30')
})

it('takes far less time to write than the CPU time of its model', () => {
  const costs = Array.from({ length: 20 }, () => {
    const before = process.threadCpuUsage()
    traceDump('GET / 200')
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  expect(Math.min(...costs)).toBeLessThan(TRACE_DUMP_MS / 4)
})
