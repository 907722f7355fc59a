/** Tests of retries in virtual time. */
import { expect, test } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import { RemediumError } from '#spec'
import { AttemptFailure } from './attempt-failure.ts'
import { DEFAULT_RETRY_LIMITS, retry } from './retry.ts'
import { readRetryAfter } from './to-failure.ts'

const createFailure = (retry: AttemptFailure['retry'], retryAfterMs?: number): AttemptFailure =>
  new AttemptFailure(new RemediumError('model-failed', 'no'), retry, {
    retryAfterMs,
    usage: { input: 2, output: 1 },
    costUsd: 0.25,
  })

/** Retries in virtual time until the end, and returns when each attempt started. */
const playAttempts = async (failures: readonly AttemptFailure[], limits = {}) => {
  const clock = createVirtualClock(0)
  const startTimes: number[] = []
  const attempt = async () => {
    startTimes.push(clock.now())
    const failure = failures[startTimes.length - 1]
    if (failure !== undefined) throw failure
    return 'answer'
  }
  const delays: number[] = []
  let hasEnded = false
  const options = {
    clock,
    random: createRandom(1),
    limits: { ...DEFAULT_RETRY_LIMITS, ...limits },
    model: 'x:y',
  }
  const result = retry(attempt, options, { onDelay: () => delays.push(clock.now()) }).finally(() => {
    hasEnded = true
  })
  result.catch(() => {})
  for (let turn = 0; turn < 10_000 && !hasEnded; turn += 1) {
    await new Promise(setImmediate)
    clock.advance(100)
  }
  return { result, startTimes, delays }
}

test('doubles the waits, and counts the wasted tokens', async () => {
  const { result, startTimes } = await playAttempts(
    [createFailure('wait'), createFailure('wait'), createFailure('wait')],
    {
      backoffMs: 1000,
    },
  )
  await expect(result).resolves.toEqual({
    value: 'answer',
    tries: 4,
    wasted: { input: 6, output: 3 },
    wastedUsd: 0.75,
  })
  const waits = startTimes.slice(1).map((time, index) => time - startTimes[index]!)
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index)
    expect(wait).toBeLessThanOrEqual(1000 * 2 ** index + 200)
  }
})

test('limits the pause between two parts of an answer, not the time for the whole answer', async () => {
  const clock = createVirtualClock(0)
  const options = {
    clock,
    random: createRandom(1),
    model: 'x:y',
    limits: { ...DEFAULT_RETRY_LIMITS, tries: 1, timeoutMs: 1000, totalMs: 60_000 },
  }
  const answerInPieces = (pieces: number) =>
    retry(
      (signal, onPiece) =>
        new Promise<string>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          for (let piece = 1; piece <= pieces; piece += 1)
            clock.after(piece * 900, piece === 10 ? () => resolve('whole') : onPiece)
        }),
      options,
      {},
    )
  const [complete, interrupted] = [answerInPieces(10), answerInPieces(5)]
  interrupted.catch(() => {})
  clock.advance(10_000)
  await expect(complete).resolves.toMatchObject({ value: 'whole' })
  await expect(interrupted).rejects.toThrow('sent no further part of its answer for 1 s')
})

test('waits as long as the provider requests', async () => {
  const { result, startTimes, delays } = await playAttempts([createFailure('wait', 30_000)], { backoffMs: 1 })
  await expect(result).resolves.toMatchObject({ tries: 2 })
  expect(startTimes[1]).toBeGreaterThanOrEqual(30_000)
  expect(startTimes[1]).toBeLessThan(31_000)
  expect(delays).toEqual([0, startTimes[1]])
})

test('does not start a wait that exceeds the time limit', async () => {
  const { result, startTimes } = await playAttempts([createFailure('wait', 3_600_000)])
  await expect(result).rejects.toThrow('no')
  expect(startTimes).toEqual([0])
})

test('limits the number of attempts, and does not retry permanent failures', async () => {
  const limited = await playAttempts(
    Array.from({ length: 50 }, () => createFailure('wait')),
    { tries: 4 },
  )
  await expect(limited.result).rejects.toThrow('after 4 attempts, which took 12 tokens')
  expect(limited.startTimes).toHaveLength(4)
  const permanent = await playAttempts([createFailure('never')])
  await expect(permanent.result).rejects.toThrow(/^no$/)
})

test('limits the total time', async () => {
  const { result, startTimes } = await playAttempts(
    Array.from({ length: 50 }, () => createFailure('wait')),
    { tries: 50, totalMs: 20_000 },
  )
  await expect(result).rejects.toThrow('attempts')
  expect(startTimes.at(-1)).toBeLessThan(20_000)
})

test('reads Retry-After in each of its forms', () => {
  expect(readRetryAfter({ 'retry-after': '2' }, 0)).toBe(2000)
  expect(readRetryAfter({ 'retry-after-ms': '250', 'retry-after': '9' }, 0)).toBe(250)
  expect(readRetryAfter({ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 1000)).toBe(4000)
  expect(readRetryAfter({ 'retry-after': 'soon' }, 0)).toBeUndefined()
  expect(readRetryAfter(undefined, 0)).toBeUndefined()
})
