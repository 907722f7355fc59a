import { expect, test } from 'vitest'
import { createRandom, createVirtualClock } from '../kit/index.ts'
import { RemediumError } from '../spec/index.ts'
import { Failure } from './failure.ts'
import { DEFAULT_PATIENCE, retrying } from './retrying.ts'
import { readRetryAfter } from './to-failure.ts'

const failing = (again: Failure['again'], retryAfterMs?: number): Failure =>
  new Failure(new RemediumError('model-failed', 'no'), again, {
    retryAfterMs,
    usage: { input: 2, output: 1 },
    costUsd: 0.25,
  })

/** Runs it to its end in virtual time; tells when each try began. */
const play = async (failures: readonly Failure[], patience = {}) => {
  const clock = createVirtualClock(0)
  const began: number[] = []
  const once = async () => {
    began.push(clock.now())
    const failure = failures[began.length - 1]
    if (failure !== undefined) throw failure
    return 'answer'
  }
  const delays: number[] = []
  let ended = false
  const tools = {
    clock,
    random: createRandom(1),
    patience: { ...DEFAULT_PATIENCE, ...patience },
    model: 'x:y',
  }
  const result = retrying(once, tools, { onDelay: () => delays.push(clock.now()) }).finally(() => {
    ended = true
  })
  result.catch(() => {})
  for (let turn = 0; turn < 10_000 && !ended; turn += 1) {
    await new Promise(setImmediate)
    clock.advance(100)
  }
  return { result, began, delays }
}

test('waits grow by about two, and what was wasted is counted', async () => {
  const { result, began } = await play([failing('wait'), failing('wait'), failing('wait')], {
    backoffMs: 1000,
  })
  await expect(result).resolves.toEqual({
    value: 'answer',
    tries: 4,
    wasted: { input: 6, output: 3 },
    wastedUsd: 0.75,
  })
  const waits = began.slice(1).map((time, index) => time - began[index]!)
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index)
    expect(wait).toBeLessThanOrEqual(1000 * 2 ** index + 200)
  }
})

test('an answer that goes on coming is waited for, one that stops is not', async () => {
  const clock = createVirtualClock(0)
  const tools = {
    clock,
    random: createRandom(1),
    model: 'x:y',
    patience: { ...DEFAULT_PATIENCE, tries: 1, timeoutMs: 1000, totalMs: 60_000 },
  }
  const speak = (pieces: number) =>
    retrying(
      (signal, onPiece) =>
        new Promise<string>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          for (let piece = 1; piece <= pieces; piece += 1)
            clock.after(piece * 900, piece === 10 ? () => resolve('whole') : onPiece)
        }),
      tools,
      {},
    )
  const [whole, half] = [speak(10), speak(5)]
  half.catch(() => {})
  clock.advance(10_000)
  await expect(whole).resolves.toMatchObject({ value: 'whole' })
  await expect(half).rejects.toThrow('stopped in the middle of its answer for 1 s')
})

test('the provider is left alone as long as it asks for', async () => {
  const { result, began, delays } = await play([failing('wait', 30_000)], { backoffMs: 1 })
  await expect(result).resolves.toMatchObject({ tries: 2 })
  expect(began[1]).toBeGreaterThanOrEqual(30_000)
  expect(began[1]).toBeLessThan(31_000)
  expect(delays).toEqual([0, began[1]])
})

test('a wait beyond the time there is is not begun', async () => {
  const { result, began } = await play([failing('wait', 3_600_000)])
  await expect(result).rejects.toThrow('no')
  expect(began).toEqual([0])
})

test('tries are bounded, and what never gets better is tried once', async () => {
  const many = await play(
    Array.from({ length: 50 }, () => failing('wait')),
    { tries: 4 },
  )
  await expect(many.result).rejects.toThrow('the last of 4 tries, which took 12 tokens')
  expect(many.began).toHaveLength(4)
  const never = await play([failing('never')])
  await expect(never.result).rejects.toThrow(/^no$/)
})

test('total time is bounded', async () => {
  const { result, began } = await play(
    Array.from({ length: 50 }, () => failing('wait')),
    { tries: 50, totalMs: 20_000 },
  )
  await expect(result).rejects.toThrow('tries')
  expect(began.at(-1)).toBeLessThan(20_000)
})

test('Retry-After is read in each of its forms', () => {
  expect(readRetryAfter({ 'retry-after': '2' }, 0)).toBe(2000)
  expect(readRetryAfter({ 'retry-after-ms': '250', 'retry-after': '9' }, 0)).toBe(250)
  expect(readRetryAfter({ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 1000)).toBe(4000)
  expect(readRetryAfter({ 'retry-after': 'soon' }, 0)).toBeUndefined()
  expect(readRetryAfter(undefined, 0)).toBeUndefined()
})
