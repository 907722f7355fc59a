/**
 * Agents that do harm to whoever judges them, in whole episodes on one live system: they lose by what they did, nothing of it is
 * blamed on the laboratory, and whoever comes after them finds all as it was.
 */
import { expect, it } from 'vitest'
import { type AttemptOutcome, referenceSolver } from '../src/episode/index.ts'
import type { EpisodeEvent, PlannedFault } from '../src/spec/index.ts'
import { filler, forger } from './testing/hostile-solvers.ts'
import { useStage } from './testing/use-stage.ts'

const NAMESPACE = 'simple-micro'
const STRESS: PlannedFault = {
  fault: 'cpu-stress',
  target: { service: 'time-service' },
  shape: { kind: 'sudden' },
  params: { workers: 10, load: 100 },
}
const [ON_MS, OFF_MS] = [2000, 1000]
/** The laboratory makes it again and again, whatever the agent has left for it. */
const DELAY: PlannedFault = {
  fault: 'network-delay',
  target: { service: 'time-service' },
  params: { latency: 1000 },
  shape: { kind: 'intermittent', onMs: ON_MS, offMs: OFF_MS },
}

const stage = useStage(NAMESPACE)

/** It did all that it wanted, and lost. */
const expectLost = ({ events, verdict }: AttemptOutcome): void => {
  expect(verdict, verdict.reason).toMatchObject({ outcome: 'unresolved', blame: 'agent' })
  expect(events.find(({ type }) => type === 'solver-ended')).toMatchObject({ outcome: 'submitted' })
  expect(events.filter(({ type }) => type === 'harness-failed')).toEqual([])
}

it('is lost by who tells of calls that never were, and floods what is read of them', async () => {
  expectLost(await stage.play(STRESS, () => forger))
})

it('is lost by who leaves no room for another object', async () => {
  const outcome = await stage.play(DELAY, () => filler(2 * (ON_MS + OFF_MS)))
  expectLost(outcome)
  const types = outcome.events.map(({ type }: EpisodeEvent) => type)
  expect(types.lastIndexOf('fault-injected')).toBeGreaterThan(types.indexOf('step-taken'))
  const { items } = await stage.cluster.api.list({ apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE })
  expect(items.filter(({ metadata }) => metadata.name.startsWith('filler'))).toEqual([])
})

it('is won after them, on the same cluster, by who mends it', async () => {
  const { verdict } = await stage.play(STRESS, referenceSolver)
  expect(verdict, verdict.reason).toMatchObject({ outcome: 'resolved', damage: [] })
})
