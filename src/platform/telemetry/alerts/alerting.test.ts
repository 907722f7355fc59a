/** Tests that alerts continue from a snapshot as they would have continued without it. */
import { beforeEach, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import type { Alert, ApiObject } from '#spec'
import { type PodState, toPodState } from '../collect/pod-index.ts'
import { fakePod } from '../testing/fake-pod.ts'
import { SAMPLE_SIGNALS } from '../testing/sample-signals.ts'
import { type AlertState, createAlertState } from './alert-state.ts'
import { type Alerting, createAlerting } from './alerting.ts'
import { DEFAULT_RULES } from './default-rules.ts'

const START = Date.UTC(2026, 2, 1)

/** A system with its own clock, whose cart fails, is throttled and restarts. */
const createSubject = (start = START) => {
  const clock = createVirtualClock(start)
  const reported: Alert[] = []
  let pods: readonly PodState[] = []
  const state: AlertState = createAlertState({ all: () => pods }, start)
  const alerting: Alerting = createAlerting({
    state,
    rules: DEFAULT_RULES,
    clock,
    onAlert: (alert) => reported.push(alert),
    onError: (error) => expect.unreachable(String(error.cause)),
  })
  const setPod = (restarts: number): void => {
    const pod = fakePod('cart-0', 'cart', { since: START, restarts }) as ApiObject
    pods = [toPodState({ ...pod, metadata: { ...pod.metadata, uid: 'u' } })]
    state.notePod(pods[0]!, clock.now())
  }
  const playSecond = (second: number): void => {
    clock.advance(1000)
    const now = clock.now()
    setPod(Math.floor(second / 20))
    const reading = {
      cpuSeconds: second,
      cpuPeriods: second * 10,
      cpuThrottledPeriods: second * 10,
      cpuThrottledSeconds: second,
      memoryWorkingSet: second > 30 ? 99 : 1,
      memoryLimit: 100,
      readBytes: 0,
      writtenBytes: 0,
    }
    state.noteReading(pods[0]!, { containers: { server: reading } }, now)
    state.noteSpans(
      [{ ...SAMPLE_SIGNALS.spans[0]!, service: 'cart', status: second > 15 ? 'error' : 'ok' }],
      now,
    )
    state.noteJourneys([
      { journey: 'buy', run: second, intended: now, started: now, latencyMs: 0, ok: second < 25 },
    ])
    alerting.evaluate()
  }
  const play = (from: number, to: number): void => {
    for (let second = from; second < to; second += 1) playSecond(second)
  }
  return { clock, state, alerting, reported, play }
}

let original: ReturnType<typeof createSubject>
beforeEach(() => {
  original = createSubject()
  original.alerting.start()
  original.play(0, 28)
})

it('continues in another instance as in the first', () => {
  const snapshot = original.alerting.snapshot()
  const before = original.reported.length
  original.play(28, 70)
  const fork = createSubject(START + 28_000)
  fork.alerting.restore(snapshot)
  fork.play(28, 70)
  expect(original.reported.slice(before).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['JourneyErrorBudgetDrain', 'PodRestarting', 'ContainerMemoryNearLimit']),
  )
  expect(fork.reported).toEqual(original.reported.slice(before))
  expect(fork.alerting.active()).toEqual(original.alerting.active())
})

it('can be restored any number of times', () => {
  const snapshot = original.alerting.snapshot()
  const forks = [1, 2].map(() => {
    const fork = createSubject(START + 28_000)
    fork.alerting.restore(snapshot)
    fork.play(28, 70)
    fork.alerting.renew()
    return fork.reported
  })
  expect(forks[0]!.length).toBeGreaterThan(3)
  expect(forks[1]).toEqual(forks[0])
})

it('restores whether alerts are evaluated', () => {
  const running = original.alerting.snapshot()
  original.alerting.pause()
  const paused = original.alerting.snapshot()
  const fork = createSubject(START + 28_000)
  fork.alerting.restore(running)
  fork.alerting.restore(paused)
  fork.play(28, 70)
  expect(fork.reported).toEqual([])
})
