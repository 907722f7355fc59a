/** Tests the heartbeats of a worker that validates a problem with a long fault. */
import { afterEach, expect, it, vi } from 'vitest'
import type { Incident } from '#exam/episode'
import { exampleProblem } from '#lab/testing'
import type { LabClusterKeeper, OpenedLabCluster } from '#lab/workers'
import { NO_METRICS } from '#spec'
import type { ValidationJob } from '../attempt.ts'
import { validateProblem } from './validate-problem.ts'

const HOUR_MS = 3_600_000

const problem = exampleProblem('a', {
  faults: [
    { fault: 'x', target: { service: 's' }, params: {}, shape: { kind: 'transient', forMs: 600_000 } },
  ],
})

afterEach(() => {
  vi.useRealTimers()
})

it('sends heartbeats for as long as the faults take, in preparation and in the attempt', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const waitAnHour = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, HOUR_MS))
  const incident = {
    problem,
    faults: [],
    hasImpact: true,
    events: [{ type: 'episode-started', time: 0 }],
    system: { workloads: [] },
    cluster: {},
    async attempt() {
      await waitAnHour()
      return { events: [], verdict: { outcome: 'resolved', reason: 'well', damage: [], metrics: NO_METRICS } }
    },
    async restore() {},
  } as unknown as Incident
  const labClusters: LabClusterKeeper = {
    async open() {
      const laboratory = { prepare: () => waitAnHour().then(() => incident) }
      return { provisionMs: 0, labCluster: { laboratory } } as unknown as OpenedLabCluster
    },
    checkClock() {},
    async restore() {},
    async close() {},
  }
  const job: ValidationJob = { problem, attempts: [{ name: 'do-nothing', expected: 'resolved' }] }
  const [alive, result] = [vi.fn(), vi.fn()]
  const context = {
    signal: new AbortController().signal,
    alive,
    result,
    stage() {},
    ask: async () => false,
    onInput() {},
  }
  const validating = validateProblem(job, context, { labClusters, faults: new Map() })
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(alive).toHaveBeenCalledTimes(40)
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(alive).toHaveBeenCalledTimes(80)
  await validating
  expect(result).toHaveBeenCalledWith(expect.objectContaining({ outcome: 'resolved' }))
})
