/** Counts finished episodes by outcome, and estimates the remaining time of a run. */
import type { RunStart } from '#lab/runs'
import type { EpisodeResult } from '#spec'

export interface EpisodeCounts {
  /** Includes the results of earlier sessions. */
  start(start: RunStart): void
  add(progress: { readonly finished: number; readonly result: EpisodeResult }): void
  /** `3/23  ·  2 resolved (67 %)  ·  1:02  ·  about 7:30 left` */
  toLine(): string
}

/** `1:02:03`, `2:03` */
export const toElapsed = (ms: number): string => {
  const total = Math.max(0, Math.round(ms / 1000))
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds)}`
    : `${minutes}:${twoDigits(seconds)}`
}

export const createEpisodeCounts = (now: () => number): EpisodeCounts => {
  const started = now()
  const counts = { resolved: 0, unresolved: 0, void: 0 }
  let [finished, planned, finishedBefore] = [0, 0, 0]
  return {
    start(start) {
      planned = start.planned
      finished = start.finished.length
      finishedBefore = finished
      for (const { outcome } of start.finished) counts[outcome] += 1
    },
    add({ finished: done, result }) {
      finished = done
      counts[result.outcome] += 1
    },
    toLine() {
      const judged = counts.resolved + counts.unresolved
      const elapsed = now() - started
      const left = planned - finished
      const share = judged === 0 ? '' : ` (${Math.round((100 * counts.resolved) / judged)} %)`
      const parts = [
        `${finished}/${planned}`,
        `${counts.resolved} resolved${share}`,
        ...(counts.void === 0 ? [] : [`${counts.void} void`]),
        toElapsed(elapsed),
        ...(finished === finishedBefore || left === 0
          ? []
          : [`about ${toElapsed((elapsed / (finished - finishedBefore)) * left)} left`]),
      ]
      return parts.join('  ·  ')
    },
  }
}
