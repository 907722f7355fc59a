/** Shows that no bench outlives the worker that keeps it, or the time of that worker. */
import { expect, it, vi } from 'vitest'
import type { Prepared } from '../../episode/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { madeProblem } from '../testing/made-run.ts'
import { type BenchWish, createBenchKeeper } from './keep-bench.ts'
import type { Bench } from './open-bench.ts'

const toBench = (system: string, close: () => Promise<void>): Bench =>
  ({ system, cluster: {}, lab: {}, close }) as unknown as Bench

const wishFor = (system: string, signal = new AbortController().signal): BenchWish => ({
  problem: madeProblem('a', { system }),
  faults: new Map(),
  signal,
  stage() {},
})

it('closes a bench that was only being opened when the worker was told to end', async () => {
  const opening = Promise.withResolvers<Bench>()
  const asked = new AbortController()
  const keeper = createBenchKeeper({ open: () => opening.promise })
  const ready = keeper.ready(wishFor('shop', asked.signal))
  const refused = expect(ready).rejects.toThrow('enough')
  await new Promise(setImmediate)
  asked.abort(new Error('enough'))
  const [close, told] = [vi.fn(async () => {}), vi.fn()]
  const closed = keeper.close().then(told)
  opening.resolve(toBench('shop', close))
  await refused
  await closed
  expect(close).toHaveBeenCalledOnce()
  expect(close.mock.invocationCallOrder[0]).toBeLessThan(told.mock.invocationCallOrder[0]!)
})

it('has nothing to close where a bench could not be opened, and opens another one', async () => {
  const open = vi.fn(async () => toBench('shop', async () => {}))
  open.mockRejectedValueOnce(new Error('no room'))
  const keeper = createBenchKeeper({ open })
  await expect(keeper.ready(wishFor('shop'))).rejects.toThrow('no room')
  expect((await keeper.ready(wishFor('shop'))).bench.system).toBe('shop')
  expect(open).toHaveBeenCalledTimes(2)
})

it('opens nothing for a worker that was told to end', async () => {
  const open = vi.fn(async () => toBench('shop', async () => {}))
  const keeper = createBenchKeeper({ open })
  await expect(keeper.ready(wishFor('shop', AbortSignal.abort(new Error('enough'))))).rejects.toThrow(
    'enough',
  )
  expect(open).not.toHaveBeenCalled()
})

it('waits for a bench that is being closed already, to make room for another system', async () => {
  const closing = Promise.withResolvers<void>()
  const asked = new AbortController()
  const keeper = createBenchKeeper({ open: async ({ system }) => toBench(system, () => closing.promise) })
  await keeper.ready(wishFor('shop'))
  const refused = expect(keeper.ready(wishFor('trains', asked.signal))).rejects.toThrow('enough')
  asked.abort(new Error('enough'))
  const steps: string[] = []
  const closed = keeper.close().then(() => steps.push('all closed'))
  await new Promise(setImmediate)
  steps.push('shop closed')
  closing.resolve()
  await Promise.all([refused, closed])
  expect(steps).toEqual(['shop closed', 'all closed'])
})

/** Of a machine whose clock is set when `set` is called. */
const createSettableClock = () => {
  let isSet = false
  return {
    set() {
      isSet = true
    },
    checkClock() {
      if (isSet) throw new RemediumError('clock-jumped', 'It was set.')
    },
  }
}

it('gives no bench once the clock was set, not even between two episodes', async () => {
  const { set, checkClock } = createSettableClock()
  const open = vi.fn(async () => toBench('shop', async () => {}))
  const keeper = createBenchKeeper({ open, checkClock })
  await keeper.ready(wishFor('shop'))
  set()
  await expect(keeper.ready(wishFor('shop'))).rejects.toMatchObject({ code: 'clock-jumped' })
  await expect(keeper.ready(wishFor('trains'))).rejects.toMatchObject({ code: 'clock-jumped' })
  expect(open).toHaveBeenCalledOnce()
})

it('gives no problem that was prepared while the clock was set', async () => {
  const { set, checkClock } = createSettableClock()
  const prepared = {} as Prepared
  const prepare = vi.fn(async () => prepared)
  const open = async (): Promise<Bench> => ({ system: 'shop', lab: { prepare } }) as unknown as Bench
  const { bench } = await createBenchKeeper({ open, checkClock }).ready(wishFor('shop'))
  const problem = madeProblem('a')
  expect(await bench.lab.prepare(problem, { patient: false })).toBe(prepared)
  expect(prepare).toHaveBeenCalledWith(problem, { patient: false })
  prepare.mockImplementation(async () => {
    set()
    return prepared
  })
  await expect(bench.lab.prepare(problem)).rejects.toMatchObject({ code: 'clock-jumped' })
})
