/** The entrants of a report: each contender of each run. */
import type { RunSummary } from '#lab/runs'
import { type EpisodeResult, isUnsupported } from '#spec'
import type { ReportedRun } from '../reported-run.ts'

export interface Entrant {
  /** The name of the contender, followed by the run if several runs have this contender. */
  readonly name: string
  /** The index of the run. */
  readonly run: number
  readonly summary: RunSummary['contenders'][number]
  readonly results: readonly EpisodeResult[]
  /** Planned episodes that are not finished. */
  readonly missing: number
  /** Void episodes by blame; unsupported ones have none and are counted under `unsupported`. */
  readonly voided: Readonly<Record<string, number>>
  /** This and the following figures are sums over judged episodes. */
  readonly journeyRuns: number
  readonly journeyRunsFailed: number
  readonly damage: number
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const toVoided = (results: readonly EpisodeResult[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const result of results) {
    if (result.outcome !== 'void') continue
    const group = isUnsupported(result) ? 'unsupported' : (result.blame ?? 'harness')
    counts[group] = (counts[group] ?? 0) + 1
  }
  return counts
}

const toEntrant = (
  { name, manifest, results: all }: ReportedRun,
  run: number,
  summary: Entrant['summary'],
  isDuplicate: boolean,
): Entrant => {
  const results = all.filter((result) => result.contender === summary.name)
  const measured = results.filter(({ outcome }) => outcome !== 'void').map(({ metrics }) => metrics)
  return {
    name: isDuplicate ? `${summary.name} (${name})` : summary.name,
    run,
    summary,
    results,
    voided: toVoided(results),
    missing: Math.max(0, manifest.problems.length * manifest.epochs - results.length),
    journeyRuns: sum(measured.map(({ journeyRuns }) => journeyRuns)),
    journeyRunsFailed: sum(measured.map(({ journeyRunsFailed }) => journeyRunsFailed)),
    damage: sum(measured.map(({ collateralDamage }) => collateralDamage)),
  }
}

/** Returns the entrants in the order of the runs on the command line. */
export const toEntrants = (runs: readonly ReportedRun[]): readonly Entrant[] => {
  const names = runs.flatMap(({ summary }) => summary.contenders.map(({ name }) => name))
  const isDuplicate = (name: string): boolean => names.filter((other) => other === name).length > 1
  return runs.flatMap((run, index) =>
    run.summary.contenders.map((contender) => toEntrant(run, index, contender, isDuplicate(contender.name))),
  )
}
