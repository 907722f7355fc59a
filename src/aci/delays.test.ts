/** Tests of the time that providers take by tries that come to nothing. */
import { expect, it } from 'vitest'
import { RemediumError } from '../spec/index.ts'
import { createDelays } from './delays.ts'

const later = new RemediumError('model-failed', 'Later.')

it('counts failed tries and waits, but no try that is answered, nor a first one that takes long', () => {
  let time = 0
  const delays = createDelays(() => time)
  const slow = delays.begin()
  time = 100
  expect(delays.lost()).toBeUndefined()
  slow.end()
  const moody = delays.begin()
  time = 130
  moody.note(later)
  time = 150
  moody.note(later)
  expect(delays.lost()).toEqual({ milliseconds: 50, error: later })
  time = 250
  // Nobody knows yet whether this try will be answered.
  expect(delays.lost()).toMatchObject({ milliseconds: 150 })
  moody.end()
  delays.begin()
  time = 999
  expect(delays.lost()).toMatchObject({ milliseconds: 50 })
})
