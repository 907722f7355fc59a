/** What is remembered of good times. */
import { expect, it } from 'vitest'
import { createHealthyWalks } from './healthy-walks.ts'
import { toWalk } from './testing/fake-lab.ts'

it('remembers the last walks of each journey, and measures those that went well', () => {
  const walks = createHealthyWalks(['greet', 'leave'])
  for (let index = 0; index < 60; index += 1) walks.add(toWalk({ latencyMs: index }))
  walks.add(toWalk({ ok: false, latencyMs: 10_000 }))
  walks.add(toWalk({ journey: 'login' }))
  expect(walks.toBaseline()).toEqual([{ journey: 'greet', walks: 40, failures: 1, p50: 40, p95: 58 }])
  walks.forget()
  expect(walks.toBaseline()).toEqual([])
})

it('forgets old walks of a journey that is seldom walked, but for a few', () => {
  const walks = createHealthyWalks(['greet'])
  for (let index = 0; index < 8; index += 1) walks.add(toWalk({ intended: index, latencyMs: 900 }))
  const add = (count: number): void => {
    for (let index = 0; index < count; index += 1) walks.add(toWalk({ intended: 200_000, latencyMs: 100 }))
  }
  add(3)
  expect(walks.toBaseline()).toEqual([{ journey: 'greet', walks: 8, failures: 0, p50: 900, p95: 900 }])
  add(2)
  expect(walks.toBaseline()[0]).toMatchObject({ walks: 8, p50: 100, p95: 900 })
  add(10)
  expect(walks.toBaseline()[0]).toMatchObject({ walks: 15, p95: 100 })
})
