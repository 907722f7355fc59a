/** Tests of the ids of problems. */
import { describe, expect, it } from 'vitest'
import type { Problem } from '#spec'
import { problemId } from './problem-id.ts'
import { toControl } from './to-control.ts'

const CONTENT: Omit<Problem, 'id'> = {
  system: 'shop',
  task: 'remediation',
  faults: [
    {
      fault: 'network-loss',
      target: { service: 'basket', port: 80 },
      params: { loss: 50, correlation: 0 },
      shape: { kind: 'sudden' },
    },
  ],
  report: 'label',
  budget: { steps: 20, seconds: 900 },
  seed: 'x',
}
const ID = 'shop.network-loss.basket.remediation.da98d619'
const problem: Problem = { id: ID, ...CONTENT }

describe('the id of a problem', () => {
  it('is the same on every machine, for any order of members', () => {
    expect(problemId(CONTENT)).toBe(ID)
    const [fault] = CONTENT.faults
    const reordered = {
      ...fault!,
      params: { correlation: 0, loss: 50 },
      target: { port: 80, service: 'basket' },
    }
    const { seed, ...rest } = CONTENT
    expect(problemId({ seed, ...rest, faults: [reordered] })).toBe(ID)
    expect(problemId(problem)).toBe(ID)
  })

  it('differs for any other content', () => {
    const [fault] = CONTENT.faults
    const others = [
      { ...CONTENT, seed: 'y' },
      { ...CONTENT, budget: { steps: 21, seconds: 900 } },
      { ...CONTENT, faults: [{ ...fault!, params: { loss: 51, correlation: 0 } }] },
    ].map(problemId)
    expect(new Set([ID, ...others]).size).toBe(4)
  })

  it('is a valid file name, with two faults and with none', () => {
    const [fault] = CONTENT.faults
    const second = { ...fault!, target: { service: 'Ledger/2' } }
    expect(problemId({ ...CONTENT, faults: [fault!, second] })).toMatch(
      /^shop\.network-loss-and-network-loss\.basket-and-ledger-2\.remediation\.[0-9a-f]{8}$/,
    )
    const control = toControl({ ...problem, task: 'detection' })
    expect(control).toMatchObject({ faults: [], seed: 'x', report: 'label', task: 'detection' })
    expect(control.id).toMatch(/^shop\.nothing\.detection\.[0-9a-f]{8}$/)
  })
})
