/** Tests of what is tried with which problem. */
import { describe, expect, it } from 'vitest'
import type { Fault, Hack, PlannedFault, Problem, SystemView } from '../../spec/index.ts'
import { attemptWords, findHack, type PlanOptions, planAttempts } from './plan-attempts.ts'

const hack = (name: string): Hack => ({ name, about: '', act: async () => {} })
const fault = (name: string, rest: Partial<Fault>): [string, Fault] => [
  name,
  { name, layer: 'network', type: 'misconfiguration', hacks: [], ...rest } as unknown as Fault,
]

const OPTIONS: PlanOptions = {
  faults: new Map([
    fault('leak', {
      layer: 'application',
      type: 'code-defect',
      hacks: [hack('restart'), hack('more-memory')],
    }),
    fault('crash', { hacks: [hack('restart'), hack('go-back')] }),
    fault('cut', {}),
    fault('deny', { culprits: () => ['front'] }),
  ]),
  commonHacks: [hack('restart'), hack('delete')],
  systemOf: () =>
    ({
      workloads: ['back', 'front'].map((service) => ({ service })),
      edges: [{ from: 'front', to: 'back' }],
      callersOf: (service: string) => (service === 'back' ? ['front'] : []),
    }) as unknown as SystemView,
  hackShare: 1,
  seed: '1',
}

const planned = (name: string, kind = 'sudden', service = 'back'): PlannedFault =>
  ({ fault: name, target: { service }, params: {}, shape: { kind } }) as PlannedFault
const problem = (task: Problem['task'], ...faults: PlannedFault[]): Problem =>
  ({ id: 'p', system: 'shop', task, faults }) as unknown as Problem
const plan = (one: Problem, options = OPTIONS): string[] =>
  planAttempts(one, options).map(({ name, expected }) => `${name}: ${expected}`)

describe('what is tried', () => {
  it('with a fault: nothing fails, the reference passes, each hack fails once', () => {
    expect(plan(problem('mitigation', planned('leak')))).toEqual([
      'do-nothing: unresolved',
      'reference: resolved',
      'hack restart: unresolved',
      'hack more-memory: unresolved',
      'hack delete: unresolved',
    ])
  })

  it('with one that heals by itself: nothing is the reference', () => {
    expect(plan(problem('remediation', planned('cut', 'transient')))).toEqual([
      'do-nothing: resolved',
      'hack restart: unresolved',
      'hack delete: unresolved',
    ])
  })

  it('with several, of which one heals by itself: nothing fails', () => {
    expect(plan(problem('mitigation', planned('cut', 'transient'), planned('cut')))[0]).toBe(
      'do-nothing: unresolved',
    )
  })

  it('with a control: nothing passes where actions count, an answer is needed where answers do', () => {
    expect(plan(problem('mitigation'))).toEqual(['do-nothing: resolved'])
    // Who is asked where it is, and nothing is, says nothing.
    for (const task of ['localisation', 'analysis'] as const)
      expect(plan(problem(task))[0]).toBe('do-nothing: resolved')
    expect(plan(problem('detection'))).toEqual([
      'do-nothing: unresolved',
      'reference: resolved',
      'hack always-yes: unresolved',
    ])
  })

  it.each<[Problem, string[]]>([
    [problem('detection', planned('cut')), ['hack always-no: unresolved']],
    [problem('localisation', planned('cut')), ['hack name-entry-service: unresolved']],
    [problem('localisation', planned('deny')), ['hack name-every-service: unresolved']],
    [problem('analysis', planned('leak')), ['hack commonest-layer-and-type: unresolved']],
    [problem('analysis', planned('cut')), []],
  ])('with answers: those cheap ones that do not fit by chance (%#)', (one, hacks) => {
    expect(plan(one).slice(2)).toEqual(hacks)
  })

  it('with several: the own hacks of each, named by the fault where two share a name, and once those of all', () => {
    const two = problem('mitigation', planned('leak'), planned('crash', 'sudden', 'front'))
    const hacks = [
      'restart of leak in back',
      'more-memory',
      'restart of crash in front',
      'go-back',
      'delete',
    ].map((name) => `hack ${name}: unresolved`)
    expect(plan(two).slice(2)).toEqual(hacks)
    expect(plan(two, { ...OPTIONS, only: ['restart'] })).toEqual([hacks[0], hacks[2]])
    expect(plan(two, { ...OPTIONS, only: ['restart of crash in front'] })).toEqual([hacks[2]])
    expect(attemptWords([two], OPTIONS)).toEqual(
      expect.arrayContaining(['restart', 'restart of leak in back']),
    )
  })

  it('with one that heals by itself beside one that lasts: no hack on the former', () => {
    expect(plan(problem('mitigation', planned('leak', 'transient'), planned('crash'))).slice(2)).toEqual(
      ['restart', 'go-back', 'delete'].map((name) => `hack ${name}: unresolved`),
    )
  })

  it('with answers and deeds: as with deeds, where nothing is to be done nothing passes', () => {
    expect(plan(problem('end-to-end', planned('cut')))).toEqual([
      'do-nothing: unresolved',
      'reference: resolved',
      'hack restart: unresolved',
      'hack delete: unresolved',
    ])
    expect(plan(problem('end-to-end'))).toEqual(['do-nothing: resolved'])
    expect(plan(problem('end-to-end', planned('cut', 'transient')))[0]).toBe('do-nothing: resolved')
  })

  it('on a share of the problems that the seed draws', () => {
    const drawn = (seed: string): string =>
      Array.from({ length: 200 }, (_, index) => ({
        ...problem('mitigation', planned('leak')),
        id: `p${index}`,
      }))
        .map((one) => (plan(one, { ...OPTIONS, seed, hackShare: 0.25 }).length > 2 ? 'x' : '.'))
        .join('')
    const count = drawn('1').replaceAll('.', '').length
    expect(count).toBeGreaterThan(30)
    expect(count).toBeLessThan(70)
    expect(drawn('1')).toBe(drawn('1'))
    expect(drawn('1')).not.toBe(drawn('2'))
  })

  it.each([
    [['reference'], ['reference: resolved']],
    [
      ['delete', 'do-nothing'],
      ['do-nothing: unresolved', 'hack delete: unresolved'],
    ],
    [['right'], ['reference: resolved']],
    [['hacks'], ['hack restart: unresolved', 'hack more-memory: unresolved', 'hack delete: unresolved']],
  ])('only %j', (only, expected) => {
    expect(plan(problem('mitigation', planned('leak')), { ...OPTIONS, only })).toEqual(expected)
  })
})

describe('findHack', () => {
  it("prefers a fault's own, and says whose it is", () => {
    const two = problem('mitigation', planned('cut'), planned('leak'))
    expect(findHack('hack restart', two, OPTIONS)).toEqual({
      hack: OPTIONS.faults.get('leak')!.hacks[0],
      index: 1,
    })
    expect(findHack('hack delete', two, OPTIONS)?.index).toBe(0)
    expect(findHack('hack none', two, OPTIONS)).toBeUndefined()
  })

  it('knows which of several faults a shared name is about', () => {
    const two = problem('mitigation', planned('leak'), planned('crash', 'sudden', 'front'))
    expect(findHack('hack restart of crash in front', two, OPTIONS)).toEqual({
      hack: OPTIONS.faults.get('crash')!.hacks[0],
      index: 1,
    })
    expect(findHack('hack restart of leak in back', two, OPTIONS)?.index).toBe(0)
  })
})
