/** Tests the output of the log level `trace`. */
import { expect, it } from 'vitest'
import { traceDump } from './trace-dump.ts'

it('appends a hex dump for each layer to the line', () => {
  const lines = traceDump('GET / 200').split('\n')
  expect(lines[0]).toBe('GET / 200')
  expect(lines[1]).toBe('TRACE codec 00000000: 47 45 54 20 2f 20 32 30 30 0a 47 45 54 20 2f 20')
  expect(lines).toHaveLength(3073)
})
