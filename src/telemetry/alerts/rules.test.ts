/** Tests of the alert rules over a system that is well, and over ones that are not. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../kit/index.ts'
import type { Alert, ApiObject, ContainerReading, JourneyRecord, Span } from '../../spec/index.ts'
import { type PodState, toPodState } from '../collect/pod-index.ts'
import { type FakePodChoices, fakePod } from '../testing/fake-pod.ts'
import { SAMPLE_SIGNALS } from '../testing/sample-signals.ts'
import { type AlertState, createAlertState } from './alert-state.ts'
import { type AlertWatch, createAlertWatch } from './alert-watch.ts'
import { DEFAULT_RULES } from './default-rules.ts'

const START = Date.UTC(2026, 2, 1)
let now: number
let pods: Map<string, PodState>
let state: AlertState
let watch: AlertWatch
let told: Alert[]
beforeEach(() => {
  now = START
  pods = new Map()
  told = []
  state = createAlertState({ all: () => pods.values() }, now)
  watch = createAlertWatch(DEFAULT_RULES, {
    onAlert: (alert) => told.push(alert),
    onError: (error) => expect.unreachable(String(error.cause)),
  })
  state.begin(now)
})

/** A second at a time; `meanwhile` happens in each. */
const pass = (seconds: number, meanwhile: () => void = () => {}): void => {
  for (let second = 0; second < seconds; second += 1) {
    now += 1000
    meanwhile()
    watch.look(state.view(now))
  }
}
const put = (name: string, choices: FakePodChoices = {}): PodState => {
  const pod = fakePod(name, 'cart', { since: now, ...choices }) as ApiObject
  const made = toPodState({ ...pod, metadata: { ...pod.metadata, uid: name } })
  pods.set(name, made)
  state.notePod(made, now)
  return made
}
const active = (): string[] => watch.active().map(({ name }) => name)
const walk = (fields: Partial<JourneyRecord> = {}): void =>
  state.noteJourneys([
    { journey: 'buy', walk: 0, intended: now - 50, started: now - 50, latencyMs: 40, ok: true, ...fields },
  ])
const serve = (status: Span['status'] = 'ok'): void =>
  state.noteSpans(
    [{ ...SAMPLE_SIGNALS.spans[0]!, service: 'cart', start: now - 20, durationMs: 10, status }],
    now,
  )
const times = (count: number, task: () => void): void => {
  for (let one = 0; one < count; one += 1) task()
}

describe('a system that is well', () => {
  it('raises nothing, also with a rare failure, jitter, a restart and a rolling update', () => {
    const random = createRandom('well')
    put('cart-0')
    state.noteNode(
      { metadata: { name: 'node1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } } as never,
      false,
    )
    pass(300, () => {
      const second = (now - START) / 1000
      times(10, () =>
        walk({ latencyMs: 20 + random.next() * 150, ok: !(second % 100 === 50 && random.next() < 0.1) }),
      )
      times(30, () => serve(random.next() < 0.001 ? 'error' : 'ok'))
      if (second === 60) put('cart-0', { restarts: 1 })
      if (second === 100) put('cart-1', { ready: false })
      if (second === 107) put('cart-1')
      if (second === 108) put('cart-0', { deleting: true, ready: false })
    })
    expect(told).toEqual([])
  })

  it('raises nothing while nobody comes', () => {
    pass(60)
    expect(told).toEqual([])
  })
})

describe('journeys', () => {
  it('that fail raise an alert within seconds, which is cleared when they are well again', () => {
    pass(30, () => times(10, walk))
    const broke = now
    pass(3, () => times(10, () => walk({ ok: false })))
    expect(active()).toContain('JourneyErrorBudgetBurn')
    expect(told[0]!.raised - broke).toBeLessThanOrEqual(2000)
    expect(told[0]).toMatchObject({ labels: { journey: 'buy' }, severity: 'page' })
    pass(10, () => times(10, walk))
    expect(active()).not.toContain('JourneyErrorBudgetBurn')
    const cleared = told.find(
      ({ name, cleared }) => name === 'JourneyErrorBudgetBurn' && cleared !== undefined,
    )
    expect(cleared!.cleared! - broke).toBeLessThanOrEqual(14_000)
  })

  it('that fail seldom are told of without haste', () => {
    pass(110, () => {
      times(5, walk)
      if ((now / 1000) % 20 === 0) walk({ ok: false })
    })
    expect(told.map(({ name, severity }) => `${name} ${severity}`)).toEqual([
      'JourneyErrorBudgetDrain ticket',
    ])
  })

  it('that few walk are told of as well', () => {
    pass(20, () => walk())
    pass(6, () => walk({ ok: false }))
    expect(active()).toContain('JourneyErrorBudgetBurn')
  })

  it('are judged by what is usual for them, but not by failures that were forgotten', () => {
    const fail = () => times(2, () => walk({ ok: false }))
    pass(30, () => times(4, walk))
    pass(1, fail)
    state.forgetOutcomes()
    pass(1, fail)
    expect(told).toEqual([])
    pass(20, () => times(4, () => walk({ latencyMs: 900, intended: now - 900 })))
    expect(active()).toContain('JourneySlow')
  })

  it('that take much longer than they used to raise an alert', () => {
    pass(30, () => times(4, walk))
    pass(8, () => times(4, () => walk({ latencyMs: 300 })))
    expect(told).toEqual([])
    const broke = now
    pass(20, () => times(4, () => walk({ latencyMs: 900, intended: now - 900 })))
    expect(told.map(({ name }) => name)).toEqual(['JourneySlow'])
    expect(told[0]!.raised - broke).toBeLessThan(12_000)
  })

  it('that are slow raise an alert after few walks, where somebody knows that all was well before', () => {
    times(10, walk)
    state.forgetOutcomes()
    state.begin(now)
    pass(20, () => times(4, () => walk({ latencyMs: 900, intended: now - 900 })))
    expect(told.map(({ name }) => name)).toEqual(['JourneySlow'])
  })

  it('that nobody has called good are no measure', () => {
    times(10, walk)
    state.begin(now)
    pass(20, () => times(4, () => walk({ latencyMs: 900, intended: now - 900 })))
    expect(told).toEqual([])
  })

  it('of before a reset are forgotten', () => {
    pass(30, () => times(10, walk))
    times(10, () => walk({ ok: false }))
    state.begin(now)
    pass(5)
    expect(told).toEqual([])
  })
})

it('tells of a service that fails', () => {
  pass(30, () => times(20, serve))
  pass(3, () => {
    times(10, serve)
    times(5, () => serve('error'))
  })
  expect(told).toMatchObject([{ name: 'ServiceErrorRateHigh', labels: { service: 'cart' } }])
})

describe('pods', () => {
  it.each<[string, FakePodChoices, number]>([
    ['PodCrashLooping', { waiting: 'CrashLoopBackOff', ready: false }, 1],
    ['PodImagePullFailing', { waiting: 'ImagePullBackOff', ready: false, phase: 'Pending' }, 1],
    ['PodContainerNotStarting', { waiting: 'CreateContainerConfigError', ready: false }, 1],
    ['PodOutOfMemory', { ended: { reason: 'OOMKilled', at: START + 1000 }, restarts: 1 }, 1],
    ['PodUnschedulable', { phase: 'Pending', ready: false, unscheduled: '0/3 nodes' }, 6],
    ['PodNotReady', { ready: false }, 11],
  ])('raise %s', (name, choices, seconds) => {
    put('cart-0', choices)
    pass(seconds)
    expect(active()).toContain(name)
    put('cart-0', { restarts: 1 })
    pass(5)
    expect(active()).toEqual([])
    expect(told.at(-1)!.cleared).toBe(now - 1000)
  })

  it('that restart again and again are told of', () => {
    put('cart-0')
    pass(1)
    put('cart-0', { restarts: 1 })
    pass(2)
    expect(told).toEqual([])
    put('cart-0', { restarts: 2 })
    pass(1)
    expect(active()).toEqual(['PodRestarting'])
  })

  it('that were killed for memory before the rules began are none of theirs', () => {
    put('cart-0', { ended: { reason: 'OOMKilled', at: START - 5000 } })
    pass(3)
    expect(told).toEqual([])
  })

  it('that flicker raise one alert', () => {
    for (let round = 0; round < 5; round += 1) {
      put('cart-0', { waiting: 'CrashLoopBackOff', ready: false, since: START })
      pass(2)
      put('cart-0', { ready: false, since: START })
      pass(1)
    }
    expect(told.filter(({ name }) => name === 'PodCrashLooping')).toHaveLength(1)
  })
})

describe('volumes', () => {
  it('that are nearly full are told of, until there is room again', () => {
    const pod = put('cart-0')
    const holds = (usedBytes: number): void =>
      state.noteVolumes([{ pod, reading: { claim: 'data-cart-0', usedBytes, capacityBytes: 1000 } }])
    holds(890)
    pass(5)
    expect(told).toEqual([])
    holds(930)
    pass(1)
    expect(told).toMatchObject([
      {
        name: 'VolumeNearlyFull',
        labels: { pod: 'cart-0', persistentvolumeclaim: 'data-cart-0' },
        summary: 'The volume of data-cart-0 is 93 % full',
      },
    ])
    holds(100)
    pass(5)
    expect(active()).toEqual([])
  })
})

describe('containers', () => {
  const reading = (fields: Partial<ContainerReading>): void =>
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

  it('near their memory limit are told of', () => {
    put('cart-0')
    pass(10, () => reading({ memoryWorkingSet: 80 }))
    expect(told).toEqual([])
    pass(7, () => reading({ memoryWorkingSet: 95 }))
    expect(told).toMatchObject([
      { name: 'ContainerMemoryNearLimit', summary: expect.stringContaining('95 %') },
    ])
    pass(5, () => reading({ memoryWorkingSet: 50 }))
    expect(active()).toEqual([])
  })

  it('held back by their CPU limit most of the time are told of', () => {
    put('cart-0')
    let periods = 0
    pass(30, () => {
      periods += 10
      reading({ cpuPeriods: periods, cpuThrottledPeriods: 0.8 * periods })
    })
    expect(told).toEqual([])
    let throttled = 0.8 * periods
    pass(30, () => {
      periods += 10
      throttled += 10
      reading({ cpuPeriods: periods, cpuThrottledPeriods: throttled })
    })
    expect(active()).toEqual(['ContainerCpuThrottled'])
    // A new run counts from nothing.
    pass(4, () => reading({ cpuPeriods: 1 }))
    expect(active()).toEqual([])
  })
})

it('tells of nodes that are not well, and of workloads without their pods', () => {
  const node = (status: string): void =>
    state.noteNode(
      {
        metadata: { name: 'node1' },
        status: { conditions: [{ type: 'Ready', status, lastTransitionTime: new Date(now).toISOString() }] },
      } as never,
      false,
    )
  const workload = (availableReplicas: number): void =>
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
  node('True')
  workload(2)
  pass(5)
  node('Unknown')
  workload(1)
  pass(3)
  expect(active()).toEqual(['NodeNotReady'])
  workload(0)
  pass(8)
  expect(told.at(-1)).toMatchObject({
    name: 'WorkloadReplicasMissing',
    labels: { service: 'cart', workload: 'Deployment/cart' },
    summary: '0 of 2 pods of Deployment/cart are available',
  })
  node('True')
  workload(2)
  pass(5)
  expect(active()).toEqual([])
})

it('goes on with the other rules where one fails', () => {
  const problems: string[] = []
  const broken = createAlertWatch(
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
    { onAlert: (alert) => told.push(alert), onError: ({ message }) => problems.push(message) },
  )
  broken.look(state.view(now))
  expect(problems).toEqual(['the alert rule Broken failed'])
  broken.clear(now + 1)
  expect(told.map(({ name, cleared }) => [name, cleared])).toEqual([
    ['Always', undefined],
    ['Always', now + 1],
  ])
})
