/** From a record to a verdict: what is decided when, and that judging again gives the same. */
import { describe, expect, it } from 'vitest'
import type { Answers, ApiObject, EpisodeEvent, Fault, Problem } from '../spec/index.ts'
import { type Assessment, assess } from './assess.ts'
import { createEpisodeView } from './create-episode-view.ts'
import { judgeRecord } from './judge-record.ts'
import {
  deployment,
  plain,
  podFault,
  prepareRecord,
  problem,
  type RecordBuilder,
  SHOP,
  SICK_POD,
  withSpec,
} from './testing/record-builder.ts'

const FAULTS = new Map([['sick-pod', podFault()]])
const withFault = (change: Partial<Fault>) => new Map([['sick-pod', podFault(change)]])

const END = { type: 'solver-ended', outcome: 'submitted' } as const

const assessed = (events: readonly EpisodeEvent[], faults = FAULTS): Assessment => {
  const view = createEpisodeView(SHOP, faults)
  for (const event of events) view.add(event)
  return assess(view)
}
const ended = (record: RecordBuilder): RecordBuilder => record.after(100, END)

describe('assess', () => {
  it('resolves what was mended once a window of two seconds shows it', () => {
    const record = ended(prepareRecord().replacePod('cart'))
    expect(assessed(record.walks(1500, {}).events)).toMatchObject({ state: 'undecided' })
    const { state, verdict } = assessed(record.walks(1000, {}).events)
    expect(state).toBe('resolved')
    expect(verdict).toMatchObject({
      outcome: 'resolved',
      damage: [],
      metrics: { collateralDamage: 0, walksLost: 0 },
    })
    expect(verdict.judgements.map(({ oracle, holds }) => [oracle, holds])).toEqual([
      ['users-served', true],
      ['nothing-broken', true],
      ['cause-gone', true],
    ])
    expect(verdict.metrics.timeToMitigate).toBeGreaterThan(0)
  })

  it('tells where all that is wrong is that users wait longer than they did', () => {
    const mended = () => ended(prepareRecord().replacePod('cart'))
    const isOnlySlow = (record: RecordBuilder) => assessed(record.events).areUsersOnlySlow
    expect(isOnlySlow(mended().walks(40_000, { slow: 4 }))).toBe(true)
    expect(isOnlySlow(mended().walks(40_000, { slow: 4, failing: 0.3 }))).toBe(false)
    expect(isOnlySlow(mended().walks(4000, {}))).toBe(false)
    // The cause is there as well.
    expect(isOnlySlow(ended(prepareRecord()).walks(40_000, { slow: 4 }))).toBe(false)
    // What failed only as long as users failed, too, is past.
    const calls = (errors: number) => ({
      type: 'calls-observed' as const,
      edges: [{ from: 'front', to: 'stock', count: 50, errors }],
    })
    const recovering = (later: number) =>
      mended()
        .walks(3000, { failing: 1 })
        .after(0, calls(30))
        .walks(10_000, { slow: 4 })
        .after(0, calls(0))
        .walks(30_000, { slow: 4 })
        .after(0, calls(later))
    expect(isOnlySlow(recovering(0))).toBe(true)
    expect(isOnlySlow(recovering(30))).toBe(false)
  })

  it('gives the same verdict from the record at every moment', () => {
    const acts: ((record: RecordBuilder) => RecordBuilder)[] = [
      (record) => record,
      (record) => record.replacePod('cart'),
      (record) => record.replacePod('stock').replacePod('cart'),
    ]
    for (const [index, act] of acts.entries()) {
      const record = ended(act(prepareRecord(problem(), { seed: `property ${index}` }))).walks(4000, {})
      const view = createEpisodeView(SHOP, FAULTS)
      record.events.forEach((event, at) => {
        view.add(event)
        const { verdict } = assess(view)
        const kept = JSON.parse(
          JSON.stringify([...record.events.slice(0, at + 1), { ...event, type: 'verdict-given', verdict }]),
        )
        expect(judgeRecord(kept, SHOP, FAULTS)).toEqual(verdict)
      })
    }
  })

  it('lets a bad second only delay the window', () => {
    const record = ended(prepareRecord().replacePod('cart')).walks(1000, { failing: 1 }).walks(2750, {})
    expect(assessed(record.events).state).toBe('resolved')
    const noisy = ended(prepareRecord().replacePod('cart')).walks(2000, { slow: 4 }).walks(2500, {})
    expect(assessed(noisy.events).state).toBe('resolved')
  })

  it('never calls users served who are half served', () => {
    for (const pace of [{ failing: 0.25 }, { slow: 3.5 }, { failing: 0.2, slow: 2 }])
      for (let seed = 0; seed < 3; seed += 1) {
        const record = ended(prepareRecord(problem(), { seed: `half ${seed}` }).replacePod('cart'))
        const view = createEpisodeView(SHOP, FAULTS)
        const states = record.walks(31_000, pace).events.map((event, index) => {
          view.add(event)
          return index % 8 === 0 || event === record.events.at(-1) ? assess(view).state : 'undecided'
        })
        expect(states).not.toContain('resolved')
        expect(states.at(-1)).toBe('unresolved')
      }
  })

  it('lets one walk in twenty take far too long, of all journeys together', () => {
    const journeys = ['a', 'b', 'c', 'd', 'buy']
    const events = ended(prepareRecord().replacePod('cart')).events.map((event) =>
      event.type === 'baseline-taken'
        ? { ...event, journeys: journeys.map((journey) => ({ ...event.journeys[0]!, journey })) }
        : event,
    )
    const { at } = events.at(-1)!
    const far = (count: number) => {
      const walks = journeys.flatMap((journey, index) =>
        [1, 2, 3, 4, 5, 6, 7].map(
          (n) => [journey, at + 400 * n, n === 6 && index < count ? 390 : 20] as const,
        ),
      )
      return assessed([...events, { at: at + 2900, type: 'walks', walks }])
    }
    expect(far(1).state).toBe('resolved')
    expect(far(4).state).toBe('undecided')
  })

  it('asks for the walks it lacks, and does not take those on their way for good', () => {
    const record = ended(prepareRecord().replacePod('cart')).after(2100, { type: 'walks', walks: [] })
    const { state, wanted } = assessed(record.events)
    expect(state).toBe('undecided')
    expect(wanted.get('buy')).toBeGreaterThanOrEqual(6)
    expect(wanted.get('look')).toBe(1)
    const began = record.walks(1500, {}).at()
    const hanging = record.walks(1000, {}).after(1, { type: 'walks', walks: [], pending: [['buy', began]] })
    expect(assessed(hanging.events).verdict.reason).toMatch(/waited for the end of buy for 1\.0 s/)
  })

  it('lets journeys that suffer from the same cause bear witness for each other', () => {
    const events = prepareRecord()
      .replacePod('cart')
      .events.map((event) =>
        event.type === 'baseline-taken'
          ? {
              ...event,
              journeys: ['a', 'b', 'c', 'd', 'buy'].map((journey) => ({ ...event.journeys[0]!, journey })),
            }
          : event.type === 'fault-shown'
            ? { ...event, journeys: ['a', 'b', 'c', 'd', 'buy'] }
            : event,
      )
    const { at } = events.at(-1)!
    const walk = (latency: number) =>
      assessed([
        ...events,
        { at: at + 1, ...END },
        ...['a', 'b', 'c', 'd', 'buy'].map((journey) => ({
          at: at + 2500,
          type: 'walks' as const,
          walks: [1, 2, 3].map((second) => [journey, at + 700 * second, latency] as const),
        })),
      ])
    expect(walk(30).state).toBe('resolved')
    expect(walk(90)).toMatchObject({
      state: 'undecided',
      verdict: { reason: expect.stringContaining('still wait 1.6 times') },
    })
  })

  it('waits for pods on their way only where they may tell that the cause is gone', () => {
    const changed = (object: ApiObject) =>
      ended(prepareRecord().after(10, { type: 'object-changed', change: 'modified', object }))
    const status = { replicas: 2, readyReplicas: 1, updatedReplicas: 1, observedGeneration: 1 }
    const { template } = deployment('cart').spec as { template: { metadata: { annotations: object } } }
    const annotations = { ...template.metadata.annotations, restarted: 'now' }
    const restarted = { ...template, metadata: { ...template.metadata, annotations } }
    // The pod that goes when another has come may be the sick one, however long that takes.
    const rolling = changed({ ...withSpec(deployment('cart'), { template: restarted }), status })
    expect(assessed(rolling.walks(20_000, { slow: 5 }).events).state).toBe('undecided')
    // A pod that comes changes nothing of it.
    const scaled = changed({ ...withSpec(deployment('cart'), { replicas: 2 }), status })
    expect(assessed(scaled.walks(1500, { slow: 5 }).events).state).toBe('unresolved')
    const inTemplate = withFault({
      isGone: ({ now }) => ({ holds: now.get('Deployment', 'cart') === undefined, evidence: 'as it was' }),
    })
    expect(assessed(rolling.events, inTemplate).state).toBe('unresolved')
  })

  it('tells of a cause that is left after a second, and of damage at once', () => {
    const idle = prepareRecord().after(5, END)
    expect(assessed(idle.walks(500, { slow: 5 }).events).state).toBe('undecided')
    expect(assessed(idle.walks(750, { slow: 5 }).events)).toMatchObject({
      state: 'unresolved',
      verdict: { blame: 'agent', reason: 'the cause is still there: the pod cart-1 is there' },
    })
    expect(assessed(prepareRecord().replacePod('stock').after(0, END).events).state).toBe('unresolved')
  })

  it('waits for a look into pods where the cause lies there', () => {
    const faults = withFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    })
    const record = prepareRecord().after(1, { type: 'cause-probed', index: 0, facts: { left: 0 } })
    const before = ended(record).walks(2500, {})
    expect(assessed(before.events, faults).state).toBe('undecided')
    const after = before.after(1, { type: 'cause-probed', index: 0, facts: { left: 0 } })
    expect(assessed(after.events, faults).state).toBe('resolved')
  })

  it('leaves out what nobody could look for, but not who did something else wrong', () => {
    const faults = withFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    })
    const unseen = (pace: { failing?: number }) =>
      assessed(ended(prepareRecord().replacePod('cart')).walks(33_000, pace).events, faults).verdict
    expect(unseen({})).toMatchObject({ outcome: 'void', blame: 'harness' })
    expect(unseen({ failing: 1 })).toMatchObject({ outcome: 'unresolved', blame: 'agent' })
  })

  it('gives a service that was begun anew the time to do its work before the cause is told to be left', () => {
    const faults = withFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    })
    const look = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const
    const record = ended(prepareRecord().replacePod('cart')).walks(500, {}).after(1, look(80))
    expect(assessed(record.walks(1000, {}).events, faults).state).toBe('undecided')
    const later = record.walks(1800, {})
    expect(assessed(later.after(1, look(80)).events, faults).state).toBe('unresolved')
    expect(assessed(later.after(1, look(0)).events, faults).state).toBe('resolved')
  })

  it('watches a fault that comes and goes for a whole period', () => {
    const shape = { kind: 'intermittent', onMs: 2000, offMs: 3000 } as const
    const record = ended(prepareRecord(problem({ faults: [{ ...SICK_POD, shape }] })).replacePod('cart'))
    expect(assessed(record.walks(4500, {}).events).state).toBe('undecided')
    expect(assessed(record.walks(1000, {}).events).state).toBe('resolved')
  })

  it('ends its patience', () => {
    const record = ended(prepareRecord().replacePod('cart'))
    expect(assessed(record.walks(29_000, { failing: 1 }).events).state).toBe('undecided')
    const { state, verdict } = assessed(record.walks(2000, { failing: 1 }).events)
    expect(state).toBe('unresolved')
    expect(verdict.reason).toMatch(/^users are not served: \d+ of \d+ walks of buy failed at pay$/)
    expect(verdict.metrics.walksLost).toBeGreaterThan(200)
  })

  it('has more of it with an autoscaler, which may have to look twice before it adds a pod', () => {
    const autoscaler = plain('autoscaling/v2', 'HorizontalPodAutoscaler', 'cart', { spec: {} })
    const record = ended(prepareRecord(problem(), { injected: [autoscaler] }).replacePod('cart'))
    expect(assessed(record.walks(49_000, { slow: 4 }).events).state).toBe('undecided')
    expect(assessed(record.walks(2000, { slow: 4 }).events).state).toBe('unresolved')
  })
})

describe('blame', () => {
  it("of a harness that failed is not the agent's", () => {
    const failure = {
      type: 'harness-failed',
      code: 'cluster-lost',
      message: 'gone',
      blame: 'harness',
    } as const
    const { verdict } = assessed(prepareRecord().after(1, failure).events)
    expect(verdict).toMatchObject({ outcome: 'void', blame: 'harness', reason: 'cluster-lost: gone' })
  })

  it("of a fault that nobody felt, or that is felt where there is none, is the environment's", () => {
    const shown = (about: Problem, felt: boolean) =>
      ended(prepareRecord(about).after(1, { type: 'fault-shown', shown: felt, journeys: [], evidence: '-' }))
    for (const record of [shown(problem(), false), shown(problem({ faults: [] }), true)])
      expect(assessed(record.events).verdict).toMatchObject({ outcome: 'void', blame: 'environment' })
  })

  it("of a fault that was never put in is the harness's", () => {
    const twice = problem({ faults: [SICK_POD, SICK_POD] })
    const events = ended(prepareRecord(twice)).events.filter(
      (event) => event.type !== 'fault-injected' || event.index === 0,
    )
    expect(assessed(events).verdict).toMatchObject({ outcome: 'void', blame: 'harness' })
  })
})

describe('a record in which something is missing', () => {
  it.each(['baseline-taken', 'objects-listed', 'solver-began'] as const)(
    'is void without %s, and the harness is to blame',
    (missing) => {
      const { events } = ended(prepareRecord().replacePod('cart')).walks(3000, {})
      const { verdict } = assessed(events.filter(({ type }) => type !== missing))
      expect(verdict).toMatchObject({ outcome: 'void', blame: 'harness' })
      expect(verdict.reason).toMatch(/^the record does not tell /)
    },
  )
})

describe('answers', () => {
  const answered = (
    about: Partial<Problem>,
    answers: EpisodeEvent & { type: 'answers-given' } extends infer T
      ? Omit<T & { answers: object }, 'at' | 'type'>['answers']
      : never,
  ) => assessed(ended(prepareRecord(problem(about)).after(50, { type: 'answers-given', answers })).events)

  it.each([
    [{ task: 'detection' }, { detected: true }, 'resolved'],
    [{ task: 'detection' }, { detected: false }, 'unresolved'],
    [{ task: 'detection' }, {}, 'unresolved'],
    [{ task: 'detection', faults: [] }, { detected: false }, 'resolved'],
    [{ task: 'detection', faults: [] }, { detected: true }, 'unresolved'],
    [{ task: 'localisation' }, { services: ['cart', 'stock'] }, 'resolved'],
    [{ task: 'localisation' }, { services: ['stock', 'cart'] }, 'unresolved'],
    [{ task: 'analysis' }, { layer: 'operating-system', type: 'capacity-shortage' }, 'resolved'],
    [{ task: 'analysis' }, { layer: 'operating-system', type: 'code-defect' }, 'unresolved'],
    [{ task: 'analysis' }, { layer: 'operating-system' }, 'unresolved'],
  ] as const)('%j answered with %j are %s', (about, answers, state) => {
    expect(answered(about, answers).state).toBe(state)
  })

  it('are timed, and ranked', () => {
    const { verdict } = answered({ task: 'localisation' }, { services: ['stock', 'front', 'cart'] })
    expect(verdict.metrics).toMatchObject({ timeToLocalise: 50, rank: 3 })
  })

  it('are timed by their last change, not by a guess at the beginning', () => {
    const say = (ms: number, answers: Answers) => [ms, { type: 'answers-given', answers } as const] as const
    const record = [
      say(10, { services: ['stock'], layer: 'network' }),
      say(10, { services: ['cart'] }),
      say(30, { services: ['cart'], detected: true }),
    ].reduce((so, [ms, event]) => so.after(ms, event), prepareRecord(problem({ task: 'localisation' })))
    const { metrics } = assessed(ended(record).events).verdict
    expect(metrics).toMatchObject({ timeToDetect: 50, timeToLocalise: 20, timeToAnalyse: 10 })
  })

  it('of two faults are about the one that is named first, or that came first', () => {
    const other = { ...SICK_POD, fault: 'other', target: { service: 'stock' }, afterMs: 5 }
    const faults = new Map([...FAULTS, ['other', podFault({ layer: 'network', type: 'code-defect' })]])
    const about = problem({ task: 'analysis', faults: [other, SICK_POD] })
    const state = (answers: Answers) =>
      assessed(ended(prepareRecord(about).after(5, { type: 'answers-given', answers })).events, faults).state
    const [first, second] = [
      { layer: 'operating-system', type: 'capacity-shortage' },
      { layer: 'network', type: 'code-defect' },
    ] as const
    expect(state(first)).toBe('resolved')
    expect(state(second)).toBe('unresolved')
    expect(state({ ...second, services: ['stock', 'cart'] })).toBe('resolved')
    expect(state({ ...first, services: ['stock', 'cart'] })).toBe('unresolved')
  })

  it('are wrong, however right, of somebody who has broken something', () => {
    const about = problem({ task: 'detection', faults: [] })
    const record = prepareRecord(about).after(1, { type: 'answers-given', answers: { detected: false } })
    expect(assessed(ended(record.remove(deployment('stock'))).events)).toMatchObject({
      state: 'unresolved',
      verdict: { reason: expect.stringContaining('Deployment/stock was deleted') },
    })
  })

  it('come before the act in an end-to-end task, and all must hold', () => {
    const right = {
      detected: true,
      services: ['cart'],
      layer: 'operating-system',
      type: 'capacity-shortage',
    } as const
    const about = problem({ task: 'end-to-end' })
    const play = (answers: object) =>
      assessed(
        ended(prepareRecord(about).after(1, { type: 'answers-given', answers }).replacePod('cart')).walks(
          3000,
          {},
        ).events,
      )
    expect(play(right).state).toBe('resolved')
    expect(play({ ...right, services: ['stock'] })).toMatchObject({
      state: 'unresolved',
      verdict: { reason: 'the answer where it is is wrong: answered stock; at fault: cart' },
    })
  })
})
