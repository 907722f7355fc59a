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
