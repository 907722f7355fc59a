/** Tests the order of the stages, and the fields that each may read. */
import { expect, it } from 'vitest'
import { ATTEMPT, PREPARATION, STAGES } from './stages.ts'

const INPUTS = ['equipment', 'problem', 'log', 'injection', 'waitsForImpact', 'secret', 'solver', 'isTrusted']

it('lists every stage once, in the order of an episode', () => {
  expect(STAGES.map(({ name }) => name)).toEqual([
    'baseline',
    'inject',
    'impact',
    'report',
    'solve',
    'verify',
    'restore',
  ])
  expect([...PREPARATION, ...ATTEMPT]).toEqual(STAGES.slice(0, -1))
})

it('lets a stage read only inputs and the results of earlier stages', () => {
  const available = new Set<string>(INPUTS)
  for (const { name, reads } of STAGES) {
    expect(reads.filter((field) => !available.has(field))).toEqual([])
    available.add(name)
  }
})

it('gives the solver to the attempt only', () => {
  for (const { reads } of PREPARATION) expect(reads).not.toContain('solver')
})
