/** Reads the metrics of attempts from their records, for ledgers without metrics. */
import { existsSync } from 'node:fs'
import { readRecord } from '#exam/episode'
import { recordPathOf } from '#lab/records'
import {
  type AttemptMetrics,
  type AttemptResult,
  attemptMetricsOf,
  type FinishedLedger,
} from '#lab/validation'

const readMetrics = (path: string, engine: string): AttemptMetrics | undefined => {
  const events = readRecord(path)
  const started = events[0]
  if (started?.type !== 'episode-started' || started.engine !== engine) return undefined
  const given = events.findLast((event) => event.type === 'verdict-given')
  return given === undefined ? undefined : attemptMetricsOf(given.verdict)
}

/** Returns the ledger with the metrics of all attempts whose records of this engine are in the folders. */
export const withMetrics = (ledger: FinishedLedger, folders: readonly string[]): FinishedLedger => {
  const add = (result: AttemptResult): AttemptResult => {
    if (result.metrics !== undefined || result.outcome === 'void') return result
    const paths = folders.map((folder) => recordPathOf(folder, result.problem, result.attempt))
    for (const path of paths.filter((each) => existsSync(each))) {
      const metrics = readMetrics(path, ledger.engine)
      if (metrics !== undefined) return { ...result, metrics }
    }
    return result
  }
  return { ...ledger, results: ledger.results.map(add) }
}
