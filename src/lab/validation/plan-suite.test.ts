/** Tests which attempts are planned for a suite. */
import { describe, expect, it } from 'vitest'
import type { Fault, Hack, Problem, SystemView } from '#spec'
import type { PlanOptions } from './plan-attempts.ts'
import { planSuite } from './plan-suite.ts'

const hack = (name: string): Hack => ({ name, about: '', act: async () => {} })

const OPTIONS: PlanOptions = {
  faults: new Map([['leak', { name: 'leak', hacks: [hack('more-memory')] } as unknown as Fault]]),
  commonHacks: [hack('restart')],
  systemOf: () => ({}) as SystemView,
  hackShare: 1,
  seed: '1',
}

const problem = (id: string, ...faults: string[]): Problem =>
  ({
    id,
    system: 'shop',
    task: 'mitigation',
    faults: faults.map((fault) => ({ fault, target: { service: 'back' }, shape: { kind: 'sudden' } })),
  }) as unknown as Problem

describe('the plan of a suite', () => {
  it.each([
    [
      'refrence',
      'Did you mean "reference"? The attempts are: do-nothing, reference, right, hacks, more-memory, restart.',
    ],
    ['sleep', 'The attempts are: do-nothing, reference, right, hacks, more-memory, restart.'],
  ])('rejects the attempt "%s" and lists the valid ones', (word, hint) => {
    const plan = () => planSuite([problem('a', 'leak')], { ...OPTIONS, only: ['right', word] })
    expect(plan).toThrow(`There is no attempt "${word}" at these problems.`)
    expect(plan).toThrow(expect.objectContaining({ hint }))
  })

  it('accepts names of hacks with and without the prefix', () => {
    const names = planSuite([problem('a', 'leak')], { ...OPTIONS, only: ['restart', 'hack more-memory'] })
    expect(names[0]!.attempts.map(({ name }) => name)).toEqual(['hack more-memory', 'hack restart'])
  })

  it('skips problems without attempts, and rejects a plan without any', () => {
    const only = ['more-memory']
    const plan = planSuite([problem('a', 'leak'), problem('control')], { ...OPTIONS, only })
    expect(plan.map((one) => one.problem.id)).toEqual(['a'])
    expect(() => planSuite([problem('a', 'leak')], { ...OPTIONS, only, hackShare: 0 })).toThrow(
      'No attempts are selected for any of the 1 problems.',
    )
  })

  it('draws attempts of as many different faults as possible', () => {
    const faults = ['leak', 'slow', 'cut']
    const problems = faults.flatMap((fault) => [problem(`${fault} 1`, fault), problem(`${fault} 2`, fault)])
    const draw = (sample: number, seed = '1') =>
      planSuite(problems, { ...OPTIONS, sample, seed }).flatMap(({ problem: { id }, attempts }) =>
        attempts.map(({ name }) => `${id}: ${name}`),
      )
    const faultsOf = (drawn: readonly string[]) => drawn.map((text) => text.split(' ')[0]).sort()
    expect(faultsOf(draw(3))).toEqual(['cut', 'leak', 'slow'])
    expect(faultsOf(draw(6))).toEqual(['cut', 'cut', 'leak', 'leak', 'slow', 'slow'])
    expect(draw(3)).toEqual(draw(3))
    expect(new Set([draw(3, '1'), draw(3, '2'), draw(3, '3')].map(String)).size).toBeGreaterThan(1)
    expect(draw(1000)).toHaveLength(20)
  })

  it('rejects a duplicate problem', () => {
    expect(() => planSuite([problem('a'), problem('a')], OPTIONS)).toThrow(
      'The suite contains the problem a twice.',
    )
  })
})
