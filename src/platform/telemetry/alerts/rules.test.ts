/** Tests of the alert rules with healthy and failing systems. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '#kit'
import type { Alert, ApiObject, ContainerReading, JourneyRecord, Span } from '#spec'
import { type PodState, toPodState } from '../collect/pod-index.ts'
import { type FakePodOptions, fakePod } from '../testing/fake-pod.ts'
import { SAMPLE_SIGNALS } from '../testing/sample-signals.ts'
import { type AlertEvaluator, createAlertEvaluator } from './alert-evaluator.ts'
import { type AlertState, createAlertState } from './alert-state.ts'
import { DEFAULT_RULES } from './default-rules.ts'

const START = Date.UTC(2026, 2, 1)
let now: number
let pods: Map<string, PodState>
let state: AlertState
let evaluator: AlertEvaluator
let reported: Alert[]
beforeEach(() => {
  now = START
  pods = new Map()
  reported = []
  state = createAlertState({ all: () => [...pods.values()] }, now)
  evaluator = createAlertEvaluator(DEFAULT_RULES, {
    onAlert: (alert) => reported.push(alert),
    onError: (error) => expect.unreachable(String(error.cause)),
  })
  state.restart(now)
})

/** Advances the time second by second; calls `eachSecond` and evaluates the rules in each. */
const advance = (seconds: number, eachSecond: () => void = () => {}): void => {
  for (let second = 0; second < seconds; second += 1) {
    now += 1000
    eachSecond()
    evaluator.evaluate(state.view(now))
  }
}
const addPod = (name: string, options: FakePodOptions = {}): PodState => {
  const pod = fakePod(name, 'cart', { since: now, ...options }) as ApiObject
  const podState = toPodState({ ...pod, metadata: { ...pod.metadata, uid: name } })
  pods.set(name, podState)
  state.notePod(podState, now)
  return podState
}
const activeAlerts = (): string[] => evaluator.active().map(({ name }) => name)
const runJourney = (fields: Partial<JourneyRecord> = {}): void =>
  state.noteJourneys([
    { journey: 'buy', run: 0, intended: now - 50, started: now - 50, latencyMs: 40, ok: true, ...fields },
  ])
const serveRequest = (status: Span['status'] = 'ok'): void =>
  state.noteSpans(
    [{ ...SAMPLE_SIGNALS.spans[0]!, service: 'cart', start: now - 20, durationMs: 10, status }],
    now,
  )
const repeat = (count: number, task: () => void): void => {
  for (let index = 0; index < count; index += 1) task()
}

describe('a healthy system', () => {
  it('raises no alert despite a rare failure, jitter, a restart and a rolling update', () => {
    const random = createRandom('well')
    addPod('cart-0')
    state.noteNode(
      { metadata: { name: 'node1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } } as never,
      false,
    )
    advance(300, () => {
      const second = (now - START) / 1000
      repeat(10, () =>
        runJourney({
          latencyMs: 20 + random.next() * 150,
          ok: !(second % 100 === 50 && random.next() < 0.1),
        }),
      )
      repeat(30, () => serveRequest(random.next() < 0.001 ? 'error' : 'ok'))
      if (second === 60) addPod('cart-0', { restarts: 1 })
      if (second === 100) addPod('cart-1', { ready: false })
      if (second === 107) addPod('cart-1')
      if (second === 108) addPod('cart-0', { deleting: true, ready: false })
    })
    expect(reported).toEqual([])
  })

  it('raises no alert without users', () => {
    advance(60)
    expect(reported).toEqual([])
  })
})

describe('rules for journeys', () => {
  it('raise an alert within seconds of a failure, and clear it after recovery', () => {
    advance(30, () => repeat(10, runJourney))
    const brokenAt = now
    advance(3, () => repeat(10, () => runJourney({ ok: false })))
    expect(activeAlerts()).toContain('JourneyErrorBudgetBurn')
    expect(reported[0]!.raised - brokenAt).toBeLessThanOrEqual(2000)
    expect(reported[0]).toMatchObject({ labels: { journey: 'buy' }, severity: 'page' })
    advance(10, () => repeat(10, runJourney))
    expect(activeAlerts()).not.toContain('JourneyErrorBudgetBurn')
    const cleared = reported.find(
      ({ name, cleared }) => name === 'JourneyErrorBudgetBurn' && cleared !== undefined,
    )
    expect(cleared!.cleared! - brokenAt).toBeLessThanOrEqual(14_000)
  })

  it('raise a ticket for rare but steady failures', () => {
    advance(110, () => {
      repeat(5, runJourney)
      if ((now / 1000) % 20 === 0) runJourney({ ok: false })
    })
    expect(reported.map(({ name, severity }) => `${name} ${severity}`)).toEqual([
      'JourneyErrorBudgetDrain ticket',
    ])
  })

  it('raise an alert for a journey with few runs', () => {
    advance(20, () => runJourney())
    advance(6, () => runJourney({ ok: false }))
    expect(activeAlerts()).toContain('JourneyErrorBudgetBurn')
  })

  it('keep the baseline and drop earlier failures when outcomes are reset', () => {
    const fail = () => repeat(2, () => runJourney({ ok: false }))
    advance(30, () => repeat(4, runJourney))
    advance(1, fail)
    state.resetOutcomes()
    advance(1, fail)
    expect(reported).toEqual([])
    advance(20, () => repeat(4, () => runJourney({ latencyMs: 900, intended: now - 900 })))
    expect(activeAlerts()).toContain('JourneySlow')
  })

  it('raise an alert for latencies far above the baseline', () => {
    advance(30, () => repeat(4, runJourney))
    advance(8, () => repeat(4, () => runJourney({ latencyMs: 300 })))
    expect(reported).toEqual([])
    const brokenAt = now
    advance(20, () => repeat(4, () => runJourney({ latencyMs: 900, intended: now - 900 })))
    expect(reported.map(({ name }) => name)).toEqual(['JourneySlow'])
    expect(reported[0]!.raised - brokenAt).toBeLessThan(12_000)
  })

  it('use a short baseline if the system is declared healthy', () => {
    repeat(10, runJourney)
    state.resetOutcomes()
    state.restart(now)
    advance(20, () => repeat(4, () => runJourney({ latencyMs: 900, intended: now - 900 })))
    expect(reported.map(({ name }) => name)).toEqual(['JourneySlow'])
  })

  it('ignore a short baseline if the system is not declared healthy', () => {
    repeat(10, runJourney)
    state.restart(now)
    advance(20, () => repeat(4, () => runJourney({ latencyMs: 900, intended: now - 900 })))
    expect(reported).toEqual([])
  })

  it('ignore runs before a reset', () => {
    advance(30, () => repeat(10, runJourney))
    repeat(10, () => runJourney({ ok: false }))
    state.restart(now)
    advance(5)
    expect(reported).toEqual([])
  })
})

it('raises an alert for a failing service', () => {
  advance(30, () => repeat(20, serveRequest))
  advance(3, () => {
    repeat(10, serveRequest)
    repeat(5, () => serveRequest('error'))
  })
  expect(reported).toMatchObject([{ name: 'ServiceErrorRateHigh', labels: { service: 'cart' } }])
})

describe('rules for pods', () => {
  it.each<[string, FakePodOptions, number]>([
    ['PodCrashLooping', { waiting: 'CrashLoopBackOff', ready: false }, 1],
    ['PodImagePullFailing', { waiting: 'ImagePullBackOff', ready: false, phase: 'Pending' }, 1],
    ['PodContainerNotStarting', { waiting: 'CreateContainerConfigError', ready: false }, 1],
    ['PodOutOfMemory', { ended: { reason: 'OOMKilled', at: START + 1000 }, restarts: 1 }, 1],
    ['PodUnschedulable', { phase: 'Pending', ready: false, unscheduled: '0/3 nodes' }, 6],
    ['PodNotReady', { ready: false }, 11],
  ])('raise %s', (name, options, seconds) => {
    addPod('cart-0', options)
    advance(seconds)
    expect(activeAlerts()).toContain(name)
    addPod('cart-0', { restarts: 1 })
    advance(5)
    expect(activeAlerts()).toEqual([])
    expect(reported.at(-1)!.cleared).toBe(now - 1000)
  })

  it('raise PodRestarting after the second restart', () => {
    addPod('cart-0')
    advance(1)
    addPod('cart-0', { restarts: 1 })
    advance(2)
    expect(reported).toEqual([])
    addPod('cart-0', { restarts: 2 })
    advance(1)
    expect(activeAlerts()).toEqual(['PodRestarting'])
  })

  it('ignore an OOM kill from before the evaluation started', () => {
    addPod('cart-0', { ended: { reason: 'OOMKilled', at: START - 5000 } })
    advance(3)
    expect(reported).toEqual([])
  })

  it('raise one alert for a flickering state', () => {
    for (let round = 0; round < 5; round += 1) {
      addPod('cart-0', { waiting: 'CrashLoopBackOff', ready: false, since: START })
      advance(2)
      addPod('cart-0', { ready: false, since: START })
      advance(1)
    }
    expect(reported.filter(({ name }) => name === 'PodCrashLooping')).toHaveLength(1)
  })
})

describe('rules for volumes', () => {
  it('raise an alert for a nearly full volume until space is freed', () => {
    const pod = addPod('cart-0')
    const setUsage = (usedBytes: number): void =>
      state.noteVolumes([{ pod, reading: { claim: 'data-cart-0', usedBytes, capacityBytes: 1000 } }])
    setUsage(890)
    advance(5)
    expect(reported).toEqual([])
    setUsage(930)
    advance(1)
    expect(reported).toMatchObject([
      {
        name: 'VolumeNearlyFull',
        labels: { pod: 'cart-0', persistentvolumeclaim: 'data-cart-0' },
        summary: 'The volume of the claim data-cart-0 is 93 % full',
      },
    ])
    setUsage(100)
    advance(5)
    expect(activeAlerts()).toEqual([])
  })
})

describe('rules for containers', () => {
  const addReading = (fields: Partial<ContainerReading>): void =>
    state.noteReading(
      pods.get('cart-0')!,
      {
        containers: {
          server: {
            cpuSeconds: 1,
            cpuPeriods: 0,
            cpuThrottledPeriods: 0,
            cpuThrottledSeconds: 0,
            memoryWorkingSet: 50,
            memoryLimit: 100,
            readBytes: 0,
            writtenBytes: 0,
            ...fields,
          },
        },
      },
      now,
    )

  it('raise an alert for a container close to its memory limit', () => {
    addPod('cart-0')
    advance(10, () => addReading({ memoryWorkingSet: 80 }))
    expect(reported).toEqual([])
    advance(7, () => addReading({ memoryWorkingSet: 95 }))
    expect(reported).toMatchObject([
      { name: 'ContainerMemoryNearLimit', summary: expect.stringContaining('95 %') },
    ])
    advance(5, () => addReading({ memoryWorkingSet: 50 }))
    expect(activeAlerts()).toEqual([])
  })

  it('raise an alert for a container that is throttled most of the time', () => {
    addPod('cart-0')
    let periods = 0
    advance(30, () => {
      periods += 10
      addReading({ cpuPeriods: periods, cpuThrottledPeriods: 0.8 * periods })
    })
    expect(reported).toEqual([])
    let throttled = 0.8 * periods
    advance(30, () => {
      periods += 10
      throttled += 10
      addReading({ cpuPeriods: periods, cpuThrottledPeriods: throttled })
    })
    expect(activeAlerts()).toEqual(['ContainerCpuThrottled'])
    // The counters of a restarted container begin at zero.
    advance(4, () => addReading({ cpuPeriods: 1 }))
    expect(activeAlerts()).toEqual([])
  })
})

it('raises alerts for nodes that are not Ready and for workloads with missing pods', () => {
  const setNodeStatus = (status: string): void =>
    state.noteNode(
      {
        metadata: { name: 'node1' },
        status: { conditions: [{ type: 'Ready', status, lastTransitionTime: new Date(now).toISOString() }] },
      } as never,
      false,
    )
  const setAvailableReplicas = (availableReplicas: number): void =>
    state.noteWorkload(
      {
        kind: 'Deployment',
        metadata: { name: 'cart', uid: 'd' },
        spec: { replicas: 2, template: { metadata: { labels: { app: 'cart' } } } },
        status: { availableReplicas },
      } as never,
      false,
      now,
    )
  setNodeStatus('True')
  setAvailableReplicas(2)
  advance(5)
  setNodeStatus('Unknown')
  setAvailableReplicas(1)
  advance(3)
  expect(activeAlerts()).toEqual(['NodeNotReady'])
  setAvailableReplicas(0)
  advance(8)
  expect(reported.at(-1)).toMatchObject({
    name: 'WorkloadReplicasMissing',
    labels: { service: 'cart', workload: 'Deployment/cart' },
    summary: '0 of 2 pods of Deployment/cart are available',
  })
  setNodeStatus('True')
  setAvailableReplicas(2)
  advance(5)
  expect(activeAlerts()).toEqual([])
})

it('evaluates the other rules if one throws', () => {
  const errors: string[] = []
  const withBrokenRule = createAlertEvaluator(
    [
      {
        name: 'Broken',
        severity: 'page',
        find: () => {
          throw new Error('oops')
        },
      },
      { name: 'Always', severity: 'page', find: () => [{ labels: {}, summary: '' }] },
    ],
    { onAlert: (alert) => reported.push(alert), onError: ({ message }) => errors.push(message) },
  )
  withBrokenRule.evaluate(state.view(now))
  expect(errors).toEqual(['the alert rule Broken failed'])
  withBrokenRule.clear(now + 1)
  expect(reported.map(({ name, cleared }) => [name, cleared])).toEqual([
    ['Always', undefined],
    ['Always', now + 1],
  ])
})
