/** Tests which journey runs belong to the baseline. */
import { expect, it } from 'vitest'
import { toJourneyRun } from '../testing/fake-lab.ts'
import { createHealthyRuns } from './healthy-runs.ts'

it('keeps the last runs of each journey, and measures those that succeeded', () => {
  const runs = createHealthyRuns(['greet', 'leave'])
  for (let index = 0; index < 60; index += 1) runs.add(toJourneyRun({ latencyMs: index }))
  runs.add(toJourneyRun({ ok: false, latencyMs: 10_000 }))
  runs.add(toJourneyRun({ journey: 'login' }))
  expect(runs.toBaseline()).toEqual([{ journey: 'greet', runs: 40, failures: 1, p50: 40, p95: 58 }])
  runs.clear()
  expect(runs.toBaseline()).toEqual([])
})

it('drops old runs, but keeps a few of a journey that rarely runs', () => {
  const runs = createHealthyRuns(['greet'])
  for (let index = 0; index < 8; index += 1) runs.add(toJourneyRun({ intended: index, latencyMs: 900 }))
  const addRuns = (count: number): void => {
    for (let index = 0; index < count; index += 1)
      runs.add(toJourneyRun({ intended: 200_000, latencyMs: 100 }))
  }
  addRuns(3)
  expect(runs.toBaseline()).toEqual([{ journey: 'greet', runs: 8, failures: 0, p50: 900, p95: 900 }])
  addRuns(2)
  expect(runs.toBaseline()[0]).toMatchObject({ runs: 8, p50: 100, p95: 900 })
  addRuns(10)
  expect(runs.toBaseline()[0]).toMatchObject({ runs: 15, p95: 100 })
})
