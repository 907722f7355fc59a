/** Tests that only failed model calls count as delays. */
import { expect, it } from 'vitest'
import { RemediumError } from '#spec'
import { createDelays } from './delays.ts'

const failure = new RemediumError('model-failed', 'The provider answers 429.')

it('counts failed attempts and the waits after them, but not attempts that were answered', () => {
  let time = 0
  const delays = createDelays(() => time)
  const slowCall = delays.begin()
  time = 100
  expect(delays.lost()).toBeUndefined()
  slowCall.end()
  const failingCall = delays.begin()
  time = 130
  failingCall.note(failure)
  time = 150
  failingCall.note(failure)
  expect(delays.lost()).toEqual({ milliseconds: 50, error: failure })
  time = 250
  // An attempt in progress counts until it is answered.
  expect(delays.lost()).toMatchObject({ milliseconds: 150 })
  failingCall.end()
  delays.begin()
  time = 999
  expect(delays.lost()).toMatchObject({ milliseconds: 50 })
})
