/** Shows that a worker that proves a problem is not taken for one that hangs while faults take their time. */
import { afterEach, expect, it, vi } from 'vitest'
import type { Prepared } from '../../episode/index.ts'
import type { EpisodeJob } from '../attempt.ts'
import { madeProblem } from '../testing/made-run.ts'
import type { ReadyBench } from './keep-bench.ts'
import { validateProblem } from './validate-problem.ts'

const HOUR_MS = 3_600_000

const problem = madeProblem('a', {
  faults: [
    { fault: 'x', target: { service: 's' }, params: {}, shape: { kind: 'transient', forMs: 600_000 } },
  ],
})

afterEach(() => {
  vi.useRealTimers()
})

it('says that it lives for as long as the faults say that they take, in preparing and in judging', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const forever = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, HOUR_MS))
  const prepared = {
    problem,
    faults: [],
    shown: true,
    events: [{ type: 'episode-began', time: 0 }],
    core: { view: { workloads: [] }, cluster: {} },
    async attempt() {
      await forever()
      return { events: [], verdict: { outcome: 'resolved', reason: 'well', damage: [] } }
    },
    async restore() {},
  } as unknown as Prepared
  const bench = { lab: { prepare: () => forever().then(() => prepared) } }
  const benches = {
    ready: async () => ({ provision: 0, restore: 0, bench }) as unknown as ReadyBench,
    leave() {},
    async close() {},
  }
  const job: EpisodeJob = { problem, attempts: [{ name: 'do-nothing', expected: 'resolved' }] }
  const [alive, finished] = [vi.fn(), vi.fn()]
  const context = {
    signal: new AbortController().signal,
    alive,
    finished,
    stage() {},
    ask: async () => false,
  }
  const proving = validateProblem(job, context, { benches, faults: new Map() })
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(alive).toHaveBeenCalledTimes(40)
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(alive).toHaveBeenCalledTimes(80)
  await proving
  expect(finished).toHaveBeenCalledWith('do-nothing', expect.objectContaining({ outcome: 'resolved' }))
})
