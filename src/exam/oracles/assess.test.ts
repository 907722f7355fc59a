/** Tests when an assessment is decided, and that judging a record again returns the same verdict. */
import { describe, expect, it } from 'vitest'
import type { ApiObject, EpisodeEvent, Fault, JourneyRunNote, Problem } from '#spec'
import { type Assessment, assess } from './assess.ts'
import { judgeRecord } from './judge-record.ts'
import {
  deployment,
  POD_FAULT,
  plain,
  podFault,
  prepareRecord,
  problem,
  type RecordBuilder,
  SHOP,
  withSpec,
} from './testing/record-builder.ts'
import { createEpisodeView } from './view/create-episode-view.ts'

const FAULTS = new Map([['sick-pod', podFault()]])
const withFault = (change: Partial<Fault>) => new Map([['sick-pod', podFault(change)]])

const END = { type: 'solver-ended', outcome: 'submitted' } as const

const assessEvents = (events: readonly EpisodeEvent[], faults = FAULTS): Assessment => {
  const view = createEpisodeView(SHOP, faults)
  for (const event of events) view.add(event)
  return assess(view)
}
const endSolver = (record: RecordBuilder): RecordBuilder => record.after(100, END)

describe('assess', () => {
  it('resolves a repaired system after users were served for two seconds', () => {
    const record = endSolver(prepareRecord().replacePod('cart'))
    expect(assessEvents(record.runJourneys(1500, {}).events)).toMatchObject({ state: 'undecided' })
    const { state, verdict } = assessEvents(record.runJourneys(1000, {}).events)
    expect(state).toBe('resolved')
    expect(verdict).toMatchObject({
      outcome: 'resolved',
      damage: [],
      metrics: { collateralDamage: 0, journeyRunsFailed: 0 },
    })
    expect(verdict.judgements.map(({ oracle, holds }) => [oracle, holds])).toEqual([
      ['users-served', true],
      ['nothing-broken', true],
      ['cause-gone', true],
    ])
    expect(verdict.metrics.timeToMitigate).toBeGreaterThan(0)
  })

  it('waits longer if the fault requires it', () => {
    const faults = withFault({ servedForMs: 5000 })
    const repairedRecord = (rules?: number) =>
      endSolver(prepareRecord(problem(), rules === undefined ? {} : { rules }).replacePod('cart'))
    expect(assessEvents(repairedRecord().runJourneys(4500, {}).events, faults).state).toBe('undecided')
    expect(assessEvents(repairedRecord().runJourneys(5500, {}).events, faults).state).toBe('resolved')
    expect(assessEvents(repairedRecord(1).runJourneys(2500, {}).events, faults).state).toBe('resolved')
  })

  it('waits for a limited time if the cause may still be removed', () => {
    const unrepairedFaults = (isPending: boolean) =>
      withFault({ isGone: () => ({ holds: false, isPending, evidence: 'too few pods' }) })
    const record = endSolver(prepareRecord()).runJourneys(2500, {})
    expect(assessEvents(record.events, unrepairedFaults(false)).state).toBe('unresolved')
    expect(assessEvents(record.events, unrepairedFaults(true)).state).toBe('undecided')
    expect(assessEvents(record.runJourneys(29_000, {}).events, unrepairedFaults(true)).state).toBe(
      'unresolved',
    )
  })

  it('reports whether the only problem is that users are slow', () => {
    const repairedRecord = () => endSolver(prepareRecord().replacePod('cart'))
    const isOnlySlow = (record: RecordBuilder) => assessEvents(record.events).areUsersOnlySlow
    expect(isOnlySlow(repairedRecord().runJourneys(40_000, { slow: 4 }))).toBe(true)
    expect(isOnlySlow(repairedRecord().runJourneys(40_000, { slow: 4, failing: 0.3 }))).toBe(false)
    expect(isOnlySlow(repairedRecord().runJourneys(4000, {}))).toBe(false)
    // The cause also remains.
    expect(isOnlySlow(endSolver(prepareRecord()).runJourneys(40_000, { slow: 4 }))).toBe(false)
    // Failed calls from the time in which users were not served do not count.
    const calls = (errors: number) => ({
      type: 'calls-observed' as const,
      edges: [{ from: 'front', to: 'stock', count: 50, errors }],
    })
    const recoveringRecord = (later: number) =>
      repairedRecord()
        .runJourneys(3000, { failing: 1 })
        .after(0, calls(30))
        .runJourneys(10_000, { slow: 4 })
        .after(0, calls(0))
        .runJourneys(30_000, { slow: 4 })
        .after(0, calls(later))
    expect(isOnlySlow(recoveringRecord(0))).toBe(true)
    expect(isOnlySlow(recoveringRecord(30))).toBe(false)
  })

  it('returns the same verdict if the record is judged again, at every moment', () => {
    const acts: ((record: RecordBuilder) => RecordBuilder)[] = [
      (record) => record,
      (record) => record.replacePod('cart'),
      (record) => record.replacePod('stock').replacePod('cart'),
    ]
    for (const [index, act] of acts.entries()) {
      const record = endSolver(act(prepareRecord(problem(), { seed: `property ${index}` }))).runJourneys(
        4000,
        {},
      )
      const view = createEpisodeView(SHOP, FAULTS)
      record.events.forEach((event, at) => {
        view.add(event)
        const { verdict } = assess(view)
        const recorded = JSON.parse(
          JSON.stringify([...record.events.slice(0, at + 1), { ...event, type: 'verdict-given', verdict }]),
        )
        expect(judgeRecord(recorded, SHOP, FAULTS)).toEqual(verdict)
      })
    }
  })

  it('starts the window after the last bad second', () => {
    const record = endSolver(prepareRecord().replacePod('cart'))
      .runJourneys(1000, { failing: 1 })
      .runJourneys(2750, {})
    expect(assessEvents(record.events).state).toBe('resolved')
    const slowAtFirst = endSolver(prepareRecord().replacePod('cart'))
      .runJourneys(2000, { slow: 4 })
      .runJourneys(2500, {})
    expect(assessEvents(slowAtFirst.events).state).toBe('resolved')
  })

  it('never resolves while many runs fail or are slow', () => {
    for (const pace of [{ failing: 0.25 }, { slow: 3.5 }, { failing: 0.2, slow: 2 }])
      for (let seed = 0; seed < 3; seed += 1) {
        const record = endSolver(prepareRecord(problem(), { seed: `half ${seed}` }).replacePod('cart'))
        const view = createEpisodeView(SHOP, FAULTS)
        const states = record.runJourneys(31_000, pace).events.map((event, index) => {
          view.add(event)
          return index % 8 === 0 || event === record.events.at(-1) ? assess(view).state : 'undecided'
        })
        expect(states).not.toContain('resolved')
        expect(states.at(-1)).toBe('unresolved')
      }
  })

  it('does not resolve while users wait in bursts, between which many runs are fast (since version 4 of the rules)', () => {
    const stateUnder = (rules: number) => {
      const record = endSolver(prepareRecord(problem(), { rules }).replacePod('cart'))
      for (let period = 0; period < 40; period += 1) {
        const start = record.at()
        const runs = [60, 64, 68, 72, 76, 80, 84, 88, 92, 96].map((offset, index): JourneyRunNote => {
          const latency = index === 0 ? 90 : 4
          return ['buy', start + offset, latency]
        })
        record.after(100, { type: 'journeys-run', runs: [...runs, ['look', start + 50, 5]] })
      }
      return assessEvents(record.events).state
    }
    expect(stateUnder(3)).toBe('resolved')
    expect(stateUnder(4)).toBe('undecided')
  })

  it('allows one outlier in twenty runs over all journeys', () => {
    const journeys = ['a', 'b', 'c', 'd', 'buy']
    const events = endSolver(prepareRecord().replacePod('cart')).events.map((event) =>
      event.type === 'baseline-taken'
        ? { ...event, journeys: journeys.map((journey) => ({ ...event.journeys[0]!, journey })) }
        : event,
    )
    const { at } = events.at(-1)!
    const assessWithOutliers = (count: number) => {
      const runs = journeys.flatMap((journey, index) =>
        [1, 2, 3, 4, 5, 6, 7].map(
          (n) => [journey, at + 400 * n, n === 6 && index < count ? 390 : 20] as const,
        ),
      )
      return assessEvents([...events, { at: at + 2900, type: 'journeys-run', runs }])
    }
    expect(assessWithOutliers(1).state).toBe('resolved')
    expect(assessWithOutliers(4).state).toBe('undecided')
  })

  it('requests missing runs, and does not count pending ones as good', () => {
    const record = endSolver(prepareRecord().replacePod('cart')).after(2100, {
      type: 'journeys-run',
      runs: [],
    })
    const { state, missingRuns } = assessEvents(record.events)
    expect(state).toBe('undecided')
    expect(missingRuns.get('buy')).toBeGreaterThanOrEqual(6)
    expect(missingRuns.get('look')).toBe(1)
    const startedAt = record.runJourneys(1500, {}).at()
    const hanging = record
      .runJourneys(1000, {})
      .after(1, { type: 'journeys-run', runs: [], pending: [['buy', startedAt]] })
    expect(assessEvents(hanging.events).verdict.reason).toMatch(/waiting for buy for 1\.0 s/)
  })

  it('combines the evidence of journeys that are affected by the same cause', () => {
    const events = prepareRecord()
      .replacePod('cart')
      .events.map((event) =>
        event.type === 'baseline-taken'
          ? {
              ...event,
              journeys: ['a', 'b', 'c', 'd', 'buy'].map((journey) => ({ ...event.journeys[0]!, journey })),
            }
          : event.type === 'user-impact-observed'
            ? { ...event, journeys: ['a', 'b', 'c', 'd', 'buy'] }
            : event,
      )
    const { at } = events.at(-1)!
    const assessWithLatency = (latency: number) =>
      assessEvents([
        ...events,
        { at: at + 1, ...END },
        ...['a', 'b', 'c', 'd', 'buy'].map((journey) => ({
          at: at + 2500,
          type: 'journeys-run' as const,
          runs: [1, 2, 3].map((second) => [journey, at + 700 * second, latency] as const),
        })),
      ])
    expect(assessWithLatency(30).state).toBe('resolved')
    expect(assessWithLatency(90)).toMatchObject({
      state: 'undecided',
      verdict: { reason: expect.stringContaining('still take 1.6 times') },
    })
  })

  it('waits for pending pods only if they may show that the cause is gone', () => {
    const recordWithChange = (object: ApiObject) =>
      endSolver(prepareRecord().after(10, { type: 'object-changed', change: 'modified', object }))
    const status = { replicas: 2, readyReplicas: 1, updatedReplicas: 1, observedGeneration: 1 }
    const { template } = deployment('cart').spec as { template: { metadata: { annotations: object } } }
    const annotations = { ...template.metadata.annotations, restarted: 'now' }
    const restarted = { ...template, metadata: { ...template.metadata, annotations } }
    // The pod that ends after its successor is ready may be the faulty one.
    const rolling = recordWithChange({ ...withSpec(deployment('cart'), { template: restarted }), status })
    expect(assessEvents(rolling.runJourneys(20_000, { slow: 5 }).events).state).toBe('undecided')
    // A new pod does not change the finding.
    const scaled = recordWithChange({ ...withSpec(deployment('cart'), { replicas: 2 }), status })
    expect(assessEvents(scaled.runJourneys(1500, { slow: 5 }).events).state).toBe('unresolved')
    const templateFaults = withFault({
      isGone: ({ now }) => ({ holds: now.get('Deployment', 'cart') === undefined, evidence: 'unchanged' }),
    })
    expect(assessEvents(rolling.events, templateFaults).state).toBe('unresolved')
  })

  it('decides on a remaining cause after a second, and on damage at once', () => {
    const idle = prepareRecord().after(5, END)
    expect(assessEvents(idle.runJourneys(500, { slow: 5 }).events).state).toBe('undecided')
    expect(assessEvents(idle.runJourneys(750, { slow: 5 }).events)).toMatchObject({
      state: 'unresolved',
      verdict: { blame: 'agent', reason: 'the cause remains: the pod cart-1 exists' },
    })
    expect(assessEvents(prepareRecord().replacePod('stock').after(0, END).events).state).toBe('unresolved')
  })

  it('waits for a probe if the cause is inside pods', () => {
    const faults = withFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    })
    const record = prepareRecord().after(1, { type: 'cause-probed', index: 0, facts: { left: 0 } })
    const before = endSolver(record).runJourneys(2500, {})
    expect(assessEvents(before.events, faults).state).toBe('undecided')
    const after = before.after(1, { type: 'cause-probed', index: 0, facts: { left: 0 } })
    expect(assessEvents(after.events, faults).state).toBe('resolved')
  })

  it('counts a failed probe against the agent, which can prevent pods from responding', () => {
    const faults = withFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    })
    const probeEvent = (change: object) => ({ type: 'cause-probed', index: 0, facts: {}, ...change }) as const
    const record = endSolver(prepareRecord().replacePod('cart'))
      .runJourneys(20_000, {})
      .after(1, probeEvent({ failed: 'no answer within 5 s' }))
    expect(assessEvents(record.events, faults).state).toBe('undecided')
    const answered = prepareRecord().replacePod('cart')
    endSolver(answered)
      .runJourneys(4000, {})
      .after(1, probeEvent({ failed: 'no pod' }))
      .after(1000, probeEvent({ facts: { left: 0 } }))
    expect(assessEvents(answered.events, faults).state).toBe('resolved')
    expect(assessEvents(record.runJourneys(13_000, {}).events, faults).verdict).toMatchObject({
      outcome: 'unresolved',
      blame: 'agent',
      reason: 'the cause remains: sick-pod could not be probed: no answer within 5 s',
    })
  })

  it('returns void if the laboratory never probed the cause, unless the agent failed otherwise', () => {
    const faults = withFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    })
    const judgeUnprobed = (pace: { failing?: number }) =>
      assessEvents(endSolver(prepareRecord().replacePod('cart')).runJourneys(33_000, pace).events, faults)
        .verdict
    expect(judgeUnprobed({})).toMatchObject({ outcome: 'void', blame: 'harness' })
    expect(judgeUnprobed({ failing: 1 })).toMatchObject({ outcome: 'unresolved', blame: 'agent' })
  })

  it('gives a restarted service time to start before it decides on a remaining cause', () => {
    const faults = withFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    })
    const probeEvent = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const
    const record = endSolver(prepareRecord().replacePod('cart')).runJourneys(500, {}).after(1, probeEvent(80))
    expect(assessEvents(record.runJourneys(1000, {}).events, faults).state).toBe('undecided')
    const later = record.runJourneys(1800, {})
    expect(assessEvents(later.after(1, probeEvent(80)).events, faults).state).toBe('unresolved')
    expect(assessEvents(later.after(1, probeEvent(0)).events, faults).state).toBe('resolved')
  })

  it('observes an intermittent fault for a whole period', () => {
    const shape = { kind: 'intermittent', onMs: 2000, offMs: 3000 } as const
    const record = endSolver(prepareRecord(problem({ faults: [{ ...POD_FAULT, shape }] })).replacePod('cart'))
    expect(assessEvents(record.runJourneys(4500, {}).events).state).toBe('undecided')
    expect(assessEvents(record.runJourneys(1000, {}).events).state).toBe('resolved')
  })

  it('returns unresolved when the time to recover has passed', () => {
    const record = endSolver(prepareRecord().replacePod('cart'))
    expect(assessEvents(record.runJourneys(29_000, { failing: 1 }).events).state).toBe('undecided')
    const { state, verdict } = assessEvents(record.runJourneys(2000, { failing: 1 }).events)
    expect(state).toBe('unresolved')
    expect(verdict.reason).toMatch(/^users are not served: \d+ of \d+ runs of buy failed, the first at pay$/)
    expect(verdict.metrics.journeyRunsFailed).toBeGreaterThan(200)
  })

  it('allows more time to recover with an autoscaler, which may need two evaluations to add a pod', () => {
    const autoscaler = plain('autoscaling/v2', 'HorizontalPodAutoscaler', 'cart', { spec: {} })
    const record = endSolver(prepareRecord(problem(), { injected: [autoscaler] }).replacePod('cart'))
    expect(assessEvents(record.runJourneys(49_000, { slow: 4 }).events).state).toBe('undecided')
    expect(assessEvents(record.runJourneys(2000, { slow: 4 }).events).state).toBe('unresolved')
  })
})

describe('blame', () => {
  it('falls on the harness if it failed', () => {
    const failure = {
      type: 'harness-failed',
      code: 'cluster-lost',
      message: 'gone',
      blame: 'harness',
    } as const
    const { verdict } = assessEvents(prepareRecord().after(1, failure).events)
    const expected = { outcome: 'void', blame: 'harness', code: 'cluster-lost', reason: 'gone' }
    expect(verdict).toMatchObject(expected)
  })

  it('falls on the environment if a fault has no user impact, or a control has some', () => {
    const recordWithImpact = (posed: Problem, affected: boolean) =>
      endSolver(
        prepareRecord(posed).after(1, {
          type: 'user-impact-observed',
          affected,
          journeys: [],
          evidence: '-',
        }),
      )
    for (const record of [
      recordWithImpact(problem(), false),
      recordWithImpact(problem({ faults: [] }), true),
    ])
      expect(assessEvents(record.events).verdict).toMatchObject({ outcome: 'void', blame: 'environment' })
  })

  it('falls on the harness if a fault was not injected', () => {
    const twoFaults = problem({ faults: [POD_FAULT, POD_FAULT] })
    const events = endSolver(prepareRecord(twoFaults)).events.filter(
      (event) => event.type !== 'fault-injected' || event.index === 0,
    )
    expect(assessEvents(events).verdict).toMatchObject({ outcome: 'void', blame: 'harness' })
  })
})

describe('an incomplete record', () => {
  it.each(['baseline-taken', 'objects-listed', 'solver-started'] as const)(
    'is void without %s, and the harness is to blame',
    (missing) => {
      const { events } = endSolver(prepareRecord().replacePod('cart')).runJourneys(3000, {})
      const { verdict } = assessEvents(events.filter(({ type }) => type !== missing))
      expect(verdict).toMatchObject({ outcome: 'void', blame: 'harness' })
      expect(verdict.reason).toMatch(/^the record lacks /)
    },
  )
})
