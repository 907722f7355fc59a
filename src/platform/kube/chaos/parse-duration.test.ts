/** Tests of parsing Go durations. */
import { expect, it } from 'vitest'
import { parseDuration } from './parse-duration.ts'

it.each([
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['-1.5h', -5_400_000],
  ['+.5s', 500],
  ['2h45m', 9_900_000],
  ['300ms', 300],
  ['1us', 0.001],
  ['0', 0],
  ['2562047h', 9_223_369_200_000],
])('parses %s as %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 6)
})

it.each(['', '5', 's', '1 s', '1d', '1s1', '.s', '--1s', '1S', '2562048h', `${'9'.repeat(400)}h`])(
  'rejects %j',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)
