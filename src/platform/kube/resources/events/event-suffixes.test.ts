/** Tests the suffixes of the names of events. */
import { expect, it } from 'vitest'
import { createEventSuffixes } from './event-suffixes.ts'

it('tells the time of an event, and not how many events there were before', () => {
  const suffixAfter = (others: number): string => {
    let now = 1000
    const next = createEventSuffixes({ now: () => now })
    for (let index = 0; index < others; index += 1) next()
    now = 2000
    return next()
  }
  expect(suffixAfter(9)).toBe(suffixAfter(0))
})

it('differs for every event, also if the clock stands still or is set back', () => {
  let now = 1000
  const next = createEventSuffixes({ now: () => now })
  const suffixes = [next(), next()]
  now = 500
  suffixes.push(next(), next())
  expect(new Set(suffixes).size).toBe(4)
})
