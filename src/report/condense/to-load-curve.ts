/** All walks of an episode as a curve of at most so many slices. */
import type { WalkNote } from '../../spec/index.ts'
import type { LoadCurve } from '../view/story.ts'

const MOST_SLICES = 160

/** Milliseconds that are easy to read along an axis. */
const LENGTHS = [250, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000]

const sliceLength = (length: number): number =>
  LENGTHS.find((slice) => length / slice <= MOST_SLICES) ?? Math.ceil(length / MOST_SLICES)

const middle = (values: readonly number[]): number | null => {
  if (values.length === 0) return null
  const sorted = [...values].sort((one, other) => one - other)
  return Math.round(sorted[values.length >> 1]!)
}

export const toLoadCurve = (walks: readonly WalkNote[], length: number): LoadCurve => {
  const slice = sliceLength(length)
  const slices = Math.max(1, Math.ceil(length / slice))
  const served = Array.from({ length: slices }, () => 0)
  const failed = Array.from({ length: slices }, () => 0)
  const latencies = Array.from({ length: slices }, (): number[] => [])
  for (const [, at, latencyMs, failedAt] of walks) {
    if (!(at >= 0 && at <= length)) continue
    const index = Math.min(slices - 1, Math.floor(at / slice))
    if (failedAt === undefined) served[index]! += 1
    else failed[index]! += 1
    latencies[index]!.push(latencyMs)
  }
  return { slice, served, failed, p50: latencies.map(middle) }
}
