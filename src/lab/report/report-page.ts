/** Writes one or several runs as a self-contained HTML page. */
import type { EpisodeResult, Problem } from '#spec'
import { condenseRecord } from './condense/condense-record.ts'
import { assembleHtml } from './page/assemble-html.ts'
import { bundleScript } from './page/bundle-script.ts'
import type { ListedEpisode } from './page/listed-episode.ts'
import { loadSections } from './page/report-section.ts'
import type { ReportedRun } from './reported-run.ts'
import { toAnswerMeasures } from './summary/answer-measures.ts'
import { type Entrant, toEntrants } from './summary/entrants.ts'
import type { EpisodeDetails } from './view/story.ts'

/** The limits of one text, tried in order until the page is small enough. */
const TEXT_LIMITS = [12_000, 6_000, 3_000, 1_500, 700, 300]

/** Larger pages open slowly, and are too large for an e-mail. */
const MAX_BYTES = 4_800_000

const toDetails = (run: ReportedRun, result: EpisodeResult, maxTextCharacters: number): EpisodeDetails => {
  const answerMeasures = toAnswerMeasures(result.metrics)
  const common = { result, answerMeasures, record: run.recordPath(result.episode) }
  try {
    return { ...common, story: condenseRecord(run.record(result.episode), maxTextCharacters) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ...common, missing: `The record cannot be read: ${reason}` }
  }
}

const targetsOf = (problem: Problem | undefined): readonly string[] => [
  ...new Set((problem?.faults ?? []).map(({ target }) => target.service)),
]

/** Sorts by problem in the order of the manifest, then by contender and epoch. */
const sortResults = (entrants: readonly Entrant[], runs: readonly ReportedRun[]) => {
  const order = new Map<string, number>()
  for (const { manifest } of runs)
    for (const { id } of manifest.problems) if (!order.has(id)) order.set(id, order.size)
  const orderOf = ({ problem }: EpisodeResult): number => order.get(problem) ?? order.size
  return entrants
    .flatMap(({ results }, entrant) => results.map((result) => ({ entrant, result })))
    .sort(
      (a, b) =>
        orderOf(a.result) - orderOf(b.result) || a.entrant - b.entrant || a.result.epoch - b.result.epoch,
    )
}

const listEpisodes = (
  runs: readonly ReportedRun[],
  entrants: readonly Entrant[],
  maxTextCharacters: number,
): readonly ListedEpisode[] =>
  sortResults(entrants, runs).map(({ entrant, result }, number) => {
    const run = runs[entrants[entrant]!.run]!
    const problem = run.manifest.problems.find(({ id }) => id === result.problem)
    return {
      number,
      entrant,
      details: toDetails(run, result, maxTextCharacters),
      targets: targetsOf(problem),
    }
  })

/** Shortens strings from records until the page has at most `maxBytes` bytes, or the lowest limit is reached. */
export const reportPage = async (
  runs: readonly ReportedRun[],
  { maxBytes = MAX_BYTES }: { readonly maxBytes?: number } = {},
): Promise<string> => {
  const parts = { script: await bundleScript(), sections: await loadSections() }
  const entrants = toEntrants(runs)
  let page = ''
  for (const maxTextCharacters of TEXT_LIMITS) {
    const episodes = listEpisodes(runs, entrants, maxTextCharacters)
    page = assembleHtml({ runs, entrants, episodes, maxTextCharacters }, parts)
    if (Buffer.byteLength(page) <= maxBytes) break
  }
  return page
}
