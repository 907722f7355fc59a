/** One or several runs as one page of HTML that needs nothing else. */
import type { EpisodeResult, Problem } from '../spec/index.ts'
import { condenseRecord } from './condense/condense-record.ts'
import { bundleScript } from './page/bundle-script.ts'
import type { ListedEpisode } from './page/listed-episode.ts'
import { pageHtml } from './page/page-html.ts'
import type { ReportedRun } from './reported-run.ts'
import { toBreakdowns } from './summary/breakdowns.ts'
import { type Entrant, toEntrants } from './summary/entrants.ts'
import { toShortfalls } from './summary/shortfalls.ts'
import type { EpisodeDetails } from './view/story.ts'

/** Characters of one text, from the most to the fewest that still say something. */
const TEXT_LENGTHS = [12_000, 6_000, 3_000, 1_500, 700, 300]

/** A page of more is slow to open and too much for a letter. */
const MOST_BYTES = 4_800_000

const toDetails = (run: ReportedRun, result: EpisodeResult, mostText: number): EpisodeDetails => {
  const record = run.recordPath(result.episode)
  try {
    return { result, record, story: condenseRecord(run.record(result.episode), mostText) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { result, record, missing: `The record cannot be read: ${why}` }
  }
}

const targetsOf = (problem: Problem | undefined): readonly string[] => [
  ...new Set((problem?.faults ?? []).map(({ target }) => target.service)),
]

/** By problem as the manifest has them, then by contender and epoch. */
const inOrder = (entrants: readonly Entrant[], runs: readonly ReportedRun[]) => {
  const order = new Map<string, number>()
  for (const { manifest } of runs)
    for (const { id } of manifest.problems) if (!order.has(id)) order.set(id, order.size)
  const place = ({ problem }: EpisodeResult): number => order.get(problem) ?? order.size
  return entrants
    .flatMap(({ results }, entrant) => results.map((result) => ({ entrant, result })))
    .sort(
      (one, other) =>
        place(one.result) - place(other.result) ||
        one.entrant - other.entrant ||
        one.result.epoch - other.result.epoch,
    )
}

const listEpisodes = (
  runs: readonly ReportedRun[],
  entrants: readonly Entrant[],
  mostText: number,
): readonly ListedEpisode[] =>
  inOrder(entrants, runs).map(({ entrant, result }, number) => {
    const run = runs[entrants[entrant]!.run]!
    const problem = run.manifest.problems.find(({ id }) => id === result.problem)
    return { number, entrant, details: toDetails(run, result, mostText), targets: targetsOf(problem) }
  })

/** Texts of records are cut as far as it takes to keep the page below `mostBytes`. */
export const reportPage = async (
  runs: readonly ReportedRun[],
  { mostBytes = MOST_BYTES }: { readonly mostBytes?: number } = {},
): Promise<string> => {
  const script = await bundleScript()
  const entrants = toEntrants(runs)
  const breakdowns = toBreakdowns(
    entrants,
    runs.flatMap(({ manifest }) => manifest.suites),
  )
  let page = ''
  for (const mostText of TEXT_LENGTHS) {
    const episodes = listEpisodes(runs, entrants, mostText)
    const shortfalls = toShortfalls(
      entrants.map((_, index) =>
        episodes.filter(({ entrant }) => entrant === index).map(({ details }) => details),
      ),
    )
    page = pageHtml({ runs, entrants, breakdowns, shortfalls, episodes, mostText }, script)
    if (Buffer.byteLength(page) <= mostBytes) break
  }
  return page
}
