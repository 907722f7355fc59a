/** Tests of the order in which episodes are played. */

import { describe, expect, it } from 'vitest'
import { defined } from '#kit'
import { exampleManifest, exampleProblem } from '#lab/testing'
import type { PlannedFault } from '#spec'
import { planEpisodes } from './plan-episodes.ts'

const fault = (shape: PlannedFault['shape'], afterMs?: number): PlannedFault => ({
  fault: 'x',
  target: { service: 's' },
  params: {},
  shape,
  ...defined({ afterMs }),
})

it('groups by system, completes each epoch, and starts with the longest episodes in runs of older versions', () => {
  const problems = [
    exampleProblem('quick', { faults: [fault({ kind: 'sudden' })] }),
    exampleProblem('elsewhere', { system: 'cinema' }),
    exampleProblem('slow', { faults: [fault({ kind: 'gradual', overMs: 9000 })] }),
    exampleProblem('late', { faults: [fault({ kind: 'sudden' }), fault({ kind: 'sudden' }, 5000)] }),
  ]
  const plan = planEpisodes(exampleManifest({ problems, epochs: 2, suiteOf: { slow: 'hard' } }))
  expect(plan.map(({ episode }) => episode)).toEqual([
    ...['elsewhere.1.1', 'elsewhere.1.2'],
    ...['slow.1.1', 'late.1.1', 'quick.1.1', 'slow.1.2', 'late.1.2', 'quick.1.2'],
  ])
  expect(plan.find(({ problem }) => problem.id === 'slow')).toMatchObject({ suite: 'hard', epoch: 1 })
})

const SECRETS = Array.from({ length: 300 }, (_, index) => `secret ${index}`)

describe('the plan of a run with a secret', () => {
  const pairs = Array.from({ length: 10 }, (_, index) => [
    exampleProblem(`fault-${index}`, {
      task: 'detection',
      faults: [fault({ kind: 'gradual', overMs: 9000 })],
    }),
    exampleProblem(`control-${index}`, { task: 'detection' }),
  ]).flat()
  const orderOf = (secret: string): boolean[] =>
    planEpisodes(exampleManifest({ problems: pairs, secret })).map(({ problem }) => problem.faults.length > 0)
  const shareOfTrue = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length

  it('does not let an agent that counts episodes predict faults better than by guessing', () => {
    const orders = SECRETS.map(orderOf)
    for (let position = 0; position < pairs.length; position += 1)
      expect(Math.abs(shareOfTrue(orders.map((order) => order[position]!)) - 0.5)).toBeLessThan(0.12)
    // The guesses of an agent that expects a fault in every second episode.
    const correctGuesses = orders.flatMap((order) =>
      order.map((isFaulty, position) => isFaulty === (position % 2 === 0)),
    )
    expect(Math.abs(shareOfTrue(correctGuesses) - 0.5)).toBeLessThan(0.03)
  })

  it('is the same for the same secret, so that a run can be resumed, and plays every episode once', () => {
    expect(orderOf('a')).toEqual(orderOf('a'))
    expect(orderOf('a')).not.toEqual(orderOf('b'))
    const manifest = exampleManifest({ problems: pairs, epochs: 2, secret: 'a' })
    const plan = planEpisodes(manifest)
    expect(new Set(plan.map(({ episode }) => episode)).size).toBe(2 * pairs.length)
    expect(plan.map(({ epoch }) => epoch)).toEqual(plan.map(({ epoch }) => epoch).toSorted())
  })

  it('gives each episode a different secret', () => {
    const plan = planEpisodes(exampleManifest({ problems: pairs, secret: 'a' }))
    expect(new Set(plan.map(({ secret }) => secret)).size).toBe(pairs.length)
    for (const { secret } of plan) expect(secret).toMatch(/^[0-9a-f]{32}$/)
  })
})
