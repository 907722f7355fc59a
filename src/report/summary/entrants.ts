/** Who is compared on a page: each contender of each run. */
import type { RunSummary } from '../../runs/index.ts'
import type { EpisodeResult } from '../../spec/index.ts'
import type { ReportedRun } from '../reported-run.ts'

export interface Entrant {
  /** As tables name it: the contender, and the run where more than one has it. */
  readonly name: string
  /** Which of the runs. */
  readonly run: number
  readonly summary: RunSummary['contenders'][number]
  readonly results: readonly EpisodeResult[]
  /** Episodes that the manifest asks for and that have not ended. */
  readonly missing: number
  /** Void ones by who is to blame. */
  readonly voided: Readonly<Record<string, number>>
  /** Of the episodes that were judged. */
  readonly walks: number
  readonly walksLost: number
  readonly damage: number
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const toVoided = (results: readonly EpisodeResult[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { outcome, blame = 'harness' } of results)
    if (outcome === 'void') counts[blame] = (counts[blame] ?? 0) + 1
  return counts
}

const toEntrant = (
  { name, manifest, results: all }: ReportedRun,
  run: number,
  summary: Entrant['summary'],
  isTwice: boolean,
): Entrant => {
  const results = all.filter((result) => result.contender === summary.name)
  const measured = results.filter(({ outcome }) => outcome !== 'void').map(({ metrics }) => metrics)
  return {
    name: isTwice ? `${summary.name} (${name})` : summary.name,
    run,
    summary,
    results,
    voided: toVoided(results),
    missing: Math.max(0, manifest.problems.length * manifest.epochs - results.length),
    walks: sum(measured.map(({ walks }) => walks)),
    walksLost: sum(measured.map(({ walksLost }) => walksLost)),
    damage: sum(measured.map(({ collateralDamage }) => collateralDamage)),
  }
}

/** In the order of the command line. */
export const toEntrants = (runs: readonly ReportedRun[]): readonly Entrant[] => {
  const names = runs.flatMap(({ summary }) => summary.contenders.map(({ name }) => name))
  const isTwice = (name: string): boolean => names.filter((one) => one === name).length > 1
  return runs.flatMap((run, number) =>
    run.summary.contenders.map((one) => toEntrant(run, number, one, isTwice(one.name))),
  )
}
