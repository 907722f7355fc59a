/** Tests that only failed model calls count as delays. */
import { expect, it } from 'vitest'
import { RemediumError } from '#spec'
import { createDelays } from './delays.ts'

const later = new RemediumError('model-failed', 'Later.')

it('counts failed attempts and the waits after them, but neither answered attempts nor a slow first one', () => {
  let time = 0
  const delays = createDelays(() => time)
  const slow = delays.begin()
  time = 100
  expect(delays.lost()).toBeUndefined()
  slow.end()
  const failing = delays.begin()
  time = 130
  failing.note(later)
  time = 150
  failing.note(later)
  expect(delays.lost()).toEqual({ milliseconds: 50, error: later })
  time = 250
  // The attempt that is under way counts until it is answered.
  expect(delays.lost()).toMatchObject({ milliseconds: 150 })
  failing.end()
  delays.begin()
  time = 999
  expect(delays.lost()).toMatchObject({ milliseconds: 50 })
})
