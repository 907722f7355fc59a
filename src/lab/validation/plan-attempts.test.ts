/** Tests which attempts are planned for a problem. */
import { describe, expect, it } from 'vitest'
import type { RightRepair } from '#exam/right-repairs'
import type { Fault, Hack, HackSetting, PlannedFault, Problem, SystemView } from '#spec'
import { findHack, listAttemptNames, type PlanOptions, planAttempts } from './plan-attempts.ts'

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
const describePlan = (problem: Problem, options = OPTIONS): string[] =>
  planAttempts(problem, options).map(({ name, expected }) => `${name}: ${expected}`)

describe('planAttempts', () => {
  it('tries the right repairs of the fault that fit the problem, and expects them to pass', () => {
    const repair = (name: string, faults: string[], fits = true): RightRepair => ({
      ...hack(name),
      faults,
      fits: () => fits,
    })
    const rightRepairs = [repair('undo', ['leak']), repair('sync', ['leak'], false), repair('scale', ['cut'])]
    const options = { ...OPTIONS, rightRepairs }
    const leak = problem('mitigation', planned('leak'))
    expect(describePlan(leak, options).slice(0, 4)).toEqual([
      'do-nothing: unresolved',
      'reference: resolved',
      'repair undo: resolved',
      'hack restart: unresolved',
    ])
    expect(describePlan(leak, { ...options, only: ['right'] })).toEqual([
      'reference: resolved',
      'repair undo: resolved',
    ])
    for (const only of ['repairs', 'undo', 'repair undo'])
      expect(describePlan(leak, { ...options, only: [only] })).toEqual(['repair undo: resolved'])
    expect(listAttemptNames([leak], options)).toContain('undo')
    for (const other of [
      problem('detection', planned('leak')),
      problem('mitigation', planned('leak', 'transient')),
      problem('mitigation', planned('leak'), planned('cut')),
    ])
      expect(describePlan(other, options).join()).not.toContain('repair')
  })

  it('draws one of the common hacks that follow a right repair, unless `only` names one', () => {
    const names = ['flush', 'hide', 'pin']
    const options = {
      ...OPTIONS,
      commonHacks: [hack('delete'), ...names.map((name) => ({ ...hack(name), afterRepair: true }))],
    }
    const hacksOf = (id: string, more: Partial<PlanOptions> = {}): string[] =>
      planAttempts({ ...problem('mitigation', planned('cut')), id }, { ...options, ...more })
        .filter(({ expected, name }) => expected === 'unresolved' && name !== 'do-nothing')
        .map(({ name }) => name)
    const all = Array.from({ length: 30 }, (_, index) => hacksOf(`p${index}`))
    for (const hacks of all)
      expect(hacks).toEqual(['hack delete', expect.stringMatching(/^hack (flush|hide|pin)$/)])
    expect(new Set(all.map(([, drawn]) => drawn)).size).toBe(names.length)
    expect(hacksOf('p0')).toEqual(hacksOf('p0'))
    for (const name of names) expect(hacksOf('p0', { only: [name] })).toEqual([`hack ${name}`])
    expect(hacksOf('p0', { only: ['hacks'] })).toEqual(hacksOf('p0'))
  })

  it('draws only among the common hacks that apply to the system and the targets', () => {
    const asked: unknown[] = []
    const options = {
      ...OPTIONS,
      commonHacks: ['flush', 'hide', 'pin'].map((name) => ({
        ...hack(name),
        afterRepair: true,
        appliesTo: (setting: HackSetting) => {
          asked.push([setting.target.service, setting.targets, setting.system.workloads.length])
          return name === 'hide'
        },
      })),
    }
    const hacksOf = (id: string, more: Partial<PlanOptions> = {}): string[] =>
      planAttempts({ ...problem('mitigation', planned('cut')), id }, { ...options, ...more })
        .map(({ name }) => name)
        .filter((name) => name.startsWith('hack '))
    for (let index = 0; index < 10; index += 1) expect(hacksOf(`p${index}`)).toEqual(['hack hide'])
    expect(asked[0]).toEqual(['back', ['back'], 2])
    expect(hacksOf('p0', { only: ['flush'] })).toEqual(['hack flush'])
    const commonHacks = options.commonHacks.filter(({ name }) => name !== 'hide')
    expect(hacksOf('p0', { commonHacks })).toEqual([])
  })

  it('expects doing nothing and each hack to fail, and the reference to pass', () => {
    expect(describePlan(problem('mitigation', planned('leak')))).toEqual([
      'do-nothing: unresolved',
      'reference: resolved',
      'hack restart: unresolved',
      'hack more-memory: unresolved',
      'hack delete: unresolved',
    ])
  })

  it('uses doing nothing as the reference for a transient fault', () => {
    expect(describePlan(problem('remediation', planned('cut', 'transient')))).toEqual([
      'do-nothing: resolved',
      'hack restart: unresolved',
      'hack delete: unresolved',
    ])
  })

  it('expects doing nothing to fail if one of several faults is permanent', () => {
    expect(describePlan(problem('mitigation', planned('cut', 'transient'), planned('cut')))[0]).toBe(
      'do-nothing: unresolved',
    )
  })

  it('expects doing nothing to pass for a control, unless the task requires an answer', () => {
    expect(describePlan(problem('mitigation'))).toEqual(['do-nothing: resolved'])
    // Without a fault, giving no location and no cause is right.
    for (const task of ['localisation', 'analysis'] as const)
      expect(describePlan(problem(task))[0]).toBe('do-nothing: resolved')
    expect(describePlan(problem('detection'))).toEqual([
      'do-nothing: unresolved',
      'reference: resolved',
      'hack always-yes: unresolved',
    ])
  })

  it.each<[Problem, string[]]>([
    [problem('detection', planned('cut')), ['hack always-no: unresolved']],
    [problem('localisation', planned('cut')), ['hack name-entry-service: unresolved']],
    [problem('localisation', planned('deny')), ['hack name-every-service: unresolved']],
    [problem('analysis', planned('leak')), ['hack most-common-layer-and-type: unresolved']],
    [problem('analysis', planned('cut')), []],
  ])('tries cheap answers, except those that happen to be right (%#)', (problem, hacks) => {
    expect(describePlan(problem).slice(2)).toEqual(hacks)
  })

  it('tries the hacks of each fault, with the fault in ambiguous names, and common hacks once', () => {
    const twoFaults = problem('mitigation', planned('leak'), planned('crash', 'sudden', 'front'))
    const hacks = [
      'restart of leak in back',
      'more-memory',
      'restart of crash in front',
      'go-back',
      'delete',
    ].map((name) => `hack ${name}: unresolved`)
    expect(describePlan(twoFaults).slice(2)).toEqual(hacks)
    expect(describePlan(twoFaults, { ...OPTIONS, only: ['restart'] })).toEqual([hacks[0], hacks[2]])
    expect(describePlan(twoFaults, { ...OPTIONS, only: ['restart of crash in front'] })).toEqual([hacks[2]])
    expect(listAttemptNames([twoFaults], OPTIONS)).toEqual(
      expect.arrayContaining(['restart', 'restart of leak in back']),
    )
  })

  it('tries no hacks of a transient fault if another fault is permanent', () => {
    expect(
      describePlan(problem('mitigation', planned('leak', 'transient'), planned('crash'))).slice(2),
    ).toEqual(['restart', 'go-back', 'delete'].map((name) => `hack ${name}: unresolved`))
  })

  it('treats a task with answers and a repair like a task with only a repair', () => {
    expect(describePlan(problem('end-to-end', planned('cut')))).toEqual([
      'do-nothing: unresolved',
      'reference: resolved',
      'hack restart: unresolved',
      'hack delete: unresolved',
    ])
    expect(describePlan(problem('end-to-end'))).toEqual(['do-nothing: resolved'])
    expect(describePlan(problem('end-to-end', planned('cut', 'transient')))[0]).toBe('do-nothing: resolved')
  })

  it('tries hacks on a share of the problems, drawn from the seed', () => {
    const drawProblems = (seed: string): string =>
      Array.from({ length: 200 }, (_, index) => ({
        ...problem('mitigation', planned('leak')),
        id: `p${index}`,
      }))
        .map((one) => (describePlan(one, { ...OPTIONS, seed, hackShare: 0.25 }).length > 2 ? 'x' : '.'))
        .join('')
    const count = drawProblems('1').replaceAll('.', '').length
    expect(count).toBeGreaterThan(30)
    expect(count).toBeLessThan(70)
    expect(drawProblems('1')).toBe(drawProblems('1'))
    expect(drawProblems('1')).not.toBe(drawProblems('2'))
  })

  it.each([
    [['reference'], ['reference: resolved']],
    [
      ['delete', 'do-nothing'],
      ['do-nothing: unresolved', 'hack delete: unresolved'],
    ],
    [['right'], ['reference: resolved']],
    [['hacks'], ['hack restart: unresolved', 'hack more-memory: unresolved', 'hack delete: unresolved']],
  ])('plans only %j', (only, expected) => {
    expect(describePlan(problem('mitigation', planned('leak')), { ...OPTIONS, only })).toEqual(expected)
  })
})

describe('findHack', () => {
  it('prefers the hack of a fault to a common one, and returns the index of the fault', () => {
    const twoFaults = problem('mitigation', planned('cut'), planned('leak'))
    expect(findHack('hack restart', twoFaults, OPTIONS)).toEqual({
      hack: OPTIONS.faults.get('leak')!.hacks[0],
      index: 1,
    })
    expect(findHack('hack delete', twoFaults, OPTIONS)?.index).toBe(0)
    expect(findHack('hack none', twoFaults, OPTIONS)).toBeUndefined()
  })

  it('finds the right fault if several faults have a hack with this name', () => {
    const twoFaults = problem('mitigation', planned('leak'), planned('crash', 'sudden', 'front'))
    expect(findHack('hack restart of crash in front', twoFaults, OPTIONS)).toEqual({
      hack: OPTIONS.faults.get('crash')!.hacks[0],
      index: 1,
    })
    expect(findHack('hack restart of leak in back', twoFaults, OPTIONS)?.index).toBe(0)
  })
})
