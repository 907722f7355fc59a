/** Tests of the question that asks for the layer and the type of the cause. */
import { describe, expect, it } from 'vitest'
import type { SystemView } from '../../fault.ts'
import type { Answers } from '../answers.ts'
import { type FaultTruth, NO_FAULT, type Truth } from '../truth.ts'
import { analysis } from './analysis.ts'

const NETWORK: FaultTruth = {
  culprits: ['cart'],
  layers: ['network', 'virtualisation'],
  types: ['misconfiguration', 'network-storage-issue'],
  afterMs: 5,
}
const DEFECT: FaultTruth = {
  culprits: ['stock'],
  layers: ['application'],
  types: ['code-defect'],
  afterMs: 0,
}
const truthOf = (...faults: readonly FaultTruth[]): Truth => ({ isFaulty: true, faults })
const score = (answers: Answers, truth: Truth) => analysis.score(answers, truth, { repairs: false })

describe('analysis', () => {
  it.each<[Answers, boolean]>([
    [{ layer: 'network', type: 'misconfiguration' }, true],
    [{ layer: 'virtualisation', type: 'misconfiguration' }, true],
    [{ layer: 'network', type: 'network-storage-issue' }, true],
    [{ layer: 'hardware', type: 'network-storage-issue' }, false],
    [{ layer: 'network', type: 'code-defect' }, false],
    [{ layer: 'virtualisation' }, false],
    [{ type: 'misconfiguration' }, false],
    [{}, false],
  ])('accepts %j for a fault with several layers and types: %s', (answers, holds) => {
    expect(score(answers, truthOf(NETWORK)).holds).toBe(holds)
  })

  it('applies to the fault at the service that is named first, otherwise to the earliest fault', () => {
    const truth = truthOf(NETWORK, DEFECT)
    const [early, late] = [
      { layer: 'application', type: 'code-defect' },
      { layer: 'network', type: 'misconfiguration' },
    ] as const
    expect(score(early, truth).holds).toBe(true)
    expect(score(late, truth).holds).toBe(false)
    expect(score({ ...late, services: ['cart', 'stock'] }, truth).holds).toBe(true)
    expect(score({ ...early, services: ['cart', 'stock'] }, truth).holds).toBe(false)
    expect(score({ ...early, services: ['front'] }, truth).holds).toBe(true)
  })

  it('requires no answer in a control', () => {
    expect(score({}, NO_FAULT)).toEqual({
      holds: true,
      evidence: 'answered no layer, no type; correct: none',
    })
    expect(score({ layer: 'network' }, NO_FAULT).holds).toBe(false)
  })

  it('gives the answer and the accepted values as evidence', () => {
    expect(score({ layer: 'hardware' }, truthOf(NETWORK)).evidence).toBe(
      'answered hardware, no type; correct: network/virtualisation, misconfiguration/network-storage-issue',
    )
  })

  it('has the best layer and type of the earliest fault as its right answer', () => {
    expect(analysis.right(truthOf(NETWORK, DEFECT))).toEqual({ layer: 'application', type: 'code-defect' })
    expect(analysis.right(truthOf(NETWORK))).toEqual({ layer: 'network', type: 'misconfiguration' })
    expect(analysis.right(NO_FAULT)).toEqual({})
  })

  it('has the most common layer and type as a cheap answer, unless they are right', () => {
    const knowledge = {
      system: {} as SystemView,
      faults: [
        { layer: 'network', type: 'misconfiguration' },
        { layer: 'application', type: 'misconfiguration' },
        { layer: 'network', type: 'code-defect' },
      ],
    } as const
    expect(analysis.cheapWrong(truthOf(DEFECT), knowledge)).toEqual([
      { name: 'most-common-layer-and-type', answers: { layer: 'network', type: 'misconfiguration' } },
    ])
    expect(analysis.cheapWrong(truthOf(NETWORK), knowledge)).toEqual([])
  })

  it('aggregates faulty episodes only', () => {
    const control = { isFaulty: false, holds: true, metrics: {} }
    const faulty = [true, false].map((holds) => ({ isFaulty: true, holds, metrics: {} }))
    expect(analysis.aggregate([...faulty, control])).toEqual({ exactMatch: 0.5 })
    expect(analysis.aggregate([control])).toEqual({})
  })
})
