/** Tests of the question that asks which services are at fault. */
import { describe, expect, it } from 'vitest'
import type { SystemView } from '../../fault.ts'
import type { Answers } from '../answers.ts'
import { NO_FAULT, type Truth } from '../truth.ts'
import { localisation } from './localisation.ts'

const truthOf = (...culprits: readonly (readonly string[])[]): Truth => ({
  isFaulty: true,
  faults: culprits.map((services) => ({ culprits: services, layers: [], types: [], afterMs: 0 })),
})
const score = (answers: Answers, truth: Truth) => localisation.score(answers, truth, { repairs: false })

const KNOWLEDGE = {
  system: {
    workloads: ['stock', 'cart', 'front'].map((service) => ({ service })),
    edges: [{ from: 'front', to: 'cart' }],
    callersOf: (service: string) => (service === 'cart' ? ['front'] : []),
  } as unknown as SystemView,
  faults: [],
}

describe('localisation', () => {
  it.each<[string[][], string[], boolean]>([
    [[['cart']], ['cart', 'stock'], true],
    [[['cart']], ['stock', 'cart'], false],
    [[['cart', 'stock']], ['stock'], true],
    [[['cart'], ['stock']], ['stock', 'cart'], true],
    [[['cart'], ['stock']], ['stock', 'front', 'cart'], false],
    [[['cart'], ['stock']], ['stock', 'stock', 'cart'], true],
    [[['cart']], [], false],
  ])('for the culprits %j accepts %j: %s', (culprits, services, holds) => {
    expect(score({ services }, truthOf(...culprits)).holds).toBe(holds)
  })

  it('requires no service in a control', () => {
    expect(score({}, NO_FAULT)).toEqual({ holds: true, evidence: 'answered nothing; at fault: none' })
    expect(score({ services: ['cart'] }, NO_FAULT).holds).toBe(false)
  })

  it('gives the answer and the culprits as evidence', () => {
    expect(score({ services: ['front'] }, truthOf(['cart', 'stock'], ['db'])).evidence).toBe(
      'answered front; at fault: cart or stock, db',
    )
  })

  it('has a right answer that names one culprit of each fault first', () => {
    const truth = truthOf(['cart', 'stock'], ['db'])
    expect(localisation.right(truth)).toEqual({ services: ['cart', 'db', 'stock'] })
    expect(score(localisation.right(truth), truth).holds).toBe(true)
    expect(localisation.right(NO_FAULT)).toEqual({ services: [] })
  })

  it('has cheap answers, but none that names a culprit first', () => {
    const [every, entry] = [
      { name: 'name-every-service', answers: { services: ['cart', 'front', 'stock'] } },
      { name: 'name-entry-service', answers: { services: ['front'] } },
    ]
    expect(localisation.cheapWrong(truthOf(['stock']), KNOWLEDGE)).toEqual([every, entry])
    expect(localisation.cheapWrong(truthOf(['cart']), KNOWLEDGE)).toEqual([entry])
    expect(localisation.cheapWrong(truthOf(['front']), KNOWLEDGE)).toEqual([every])
  })

  it.each([
    [['stock', 'front', 'cart'], 3],
    [['stock', 'stock', 'cart'], 2],
    [['stock'], 0],
  ])('ranks the culprit cart in %j: %i', (services, rank) => {
    const [measure] = localisation.measures!
    expect(measure!.measure({ services }, truthOf(['cart']))).toBe(rank)
  })

  it('aggregates the ranks of faulty episodes', () => {
    const episode = (rank?: number) => ({
      isFaulty: true,
      holds: rank === 1,
      metrics: rank === undefined ? {} : { rank },
    })
    const control = { isFaulty: false, holds: true, metrics: {} }
    expect(localisation.aggregate([episode(1), episode(3), episode(0), episode(), control])).toEqual({
      top: { 1: 0.25, 3: 0.5, 5: 0.5 },
    })
    expect(localisation.aggregate([control])).toEqual({})
  })
})
