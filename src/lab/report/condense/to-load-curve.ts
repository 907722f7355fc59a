/** Converts the journey runs of an episode to a curve of served and failed runs over time. */
import type { JourneyRunNote } from '#spec'
import type { LoadCurve } from '../view/story.ts'

const MAX_SLICES = 160

/** The possible lengths of a slice. */
const SLICE_LENGTHS_MS = [250, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000]

const sliceLength = (length: number): number =>
  SLICE_LENGTHS_MS.find((slice) => length / slice <= MAX_SLICES) ?? Math.ceil(length / MAX_SLICES)

const medianOf = (values: readonly number[]): number | null => {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(sorted[values.length >> 1]!)
}

export const toLoadCurve = (runs: readonly JourneyRunNote[], length: number): LoadCurve => {
  const slice = sliceLength(length)
  const slices = Math.max(1, Math.ceil(length / slice))
  const served = Array.from({ length: slices }, () => 0)
  const failed = Array.from({ length: slices }, () => 0)
  const latencies = Array.from({ length: slices }, (): number[] => [])
  for (const [, at, latencyMs, failedAt] of runs) {
    if (!(at >= 0 && at <= length)) continue
    const index = Math.min(slices - 1, Math.floor(at / slice))
    if (failedAt === undefined) served[index]! += 1
    else failed[index]! += 1
    latencies[index]!.push(latencyMs)
  }
  return { slice, served, failed, p50: latencies.map(medianOf) }
}
