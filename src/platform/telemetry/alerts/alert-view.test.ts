/** Proves that the view of alert rules omits only parts for which no rule raises an alert. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { type PodState, toPodState } from '../collect/pod-index.ts'
import { type FakePodOptions, fakePod } from '../testing/fake-pod.ts'
import type { AlertView } from './alert-rule.ts'
import { createAlertState } from './alert-state.ts'
import { DEFAULT_RULES } from './default-rules.ts'
import { createOutcomeWindow } from './outcome-window.ts'

const START = Date.UTC(2026, 2, 1)

const podOptions: fc.Arbitrary<FakePodOptions> = fc.record(
  {
    ready: fc.boolean(),
    since: fc.constantFrom(START - 60_000, START + 10_000),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    restarts: fc.integer({ min: 0, max: 3 }),
    waiting: fc.constantFrom('CrashLoopBackOff', 'ErrImagePull', 'CreateContainerError', 'PodInitializing'),
    ended: fc.record({
      reason: fc.constantFrom('OOMKilled', 'Error', 'Completed'),
      at: fc.constantFrom(START - 60_000, START + 15_000),
    }),
    deleting: fc.boolean(),
    unscheduled: fc.constantFrom('', 'no node fits'),
  },
  { requiredKeys: [] },
)

const toPod = (options: FakePodOptions, index: number): PodState => {
  const pod = fakePod(`cart-${index}`, 'cart', options) as ApiObject
  return toPodState({ ...pod, metadata: { ...pod.metadata, uid: `u${index}` } })
}

const findAll = (view: AlertView) => DEFAULT_RULES.map((rule) => [rule.name, [...rule.find(view)]])

it('omits only healthy pods', () => {
  const history = fc.array(fc.tuple(podOptions, podOptions), { maxLength: 5 })
  fc.assert(
    fc.property(history, (pairs) => {
      let pods: readonly PodState[] = pairs.map(([before], index) => toPod(before, index))
      const state = createAlertState({ all: () => pods }, START)
      for (const pod of pods) state.notePod(pod, START)
      pods = pairs.map(([, after], index) => toPod(after, index))
      for (const pod of pods) state.notePod(pod, START + 10_000)
      const view = state.view(START + 20_000)
      expect(findAll(view)).toEqual(findAll({ ...view, pods }))
    }),
  )
})

it('omits only windows without failed and slow outcomes', () => {
  const outcome = fc.record({
    second: fc.integer({ min: 0, max: 300 }),
    durationMs: fc.constantFrom(10, 5000),
    failed: fc.boolean(),
  })
  const outcomes = fc.array(outcome, { maxLength: 30 })
  fc.assert(
    fc.property(outcomes, fc.integer({ min: 0, max: 500 }), (list, nowSecond) => {
      const window = createOutcomeWindow()
      for (let n = 0; n < 45; n += 1) window.add(START, { durationMs: 10, failed: false })
      for (const { second, ...rest } of list) window.add(START + second * 1000, rest)
      const now = START + nowSecond * 1000
      const { failed, slow } = window.within(now, 119)
      if (failed + slow > 0) expect(window.hasTrouble(now)).toBe(true)
    }),
  )
})

it('contains only unhealthy parts', () => {
  const healthy = toPod({}, 0)
  const state = createAlertState({ all: () => [healthy] }, START)
  const reading = {
    cpuSeconds: 1,
    cpuPeriods: 10,
    cpuThrottledPeriods: 0,
    cpuThrottledSeconds: 0,
    memoryWorkingSet: 50,
    memoryLimit: 100,
    readBytes: 0,
    writtenBytes: 0,
  }
  state.noteReading(healthy, { containers: { server: reading } }, START)
  state.noteJourneys([
    { journey: 'buy', run: 0, intended: START, started: START, latencyMs: 40, ok: true },
    { journey: 'browse', run: 0, intended: START, started: START, latencyMs: 40, ok: false },
  ])
  const namesAt = (now: number): string[] => [...state.view(now).journeys].map(([name]) => name)
  const { pods, containers, nodes, workloads, services } = state.view(START)
  expect([pods, containers, nodes, workloads, services]).toEqual([[], [], [], [], []])
  expect([namesAt(START + 119_000), namesAt(START + 120_000)]).toEqual([['browse'], []])
})
