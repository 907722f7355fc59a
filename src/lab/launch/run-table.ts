/** The result of a run as tables for a terminal. */
import type { Comparison, ContenderSummary, EpisodesSummary, RunSummary } from '#lab/runs'
import { figure, percent, seconds, toTable } from '#lab/text'
import { SCORE_FIGURES, VARIANT_TEXTS } from '#spec'

const numberText = (value: number | undefined): string => (value === undefined ? '-' : String(value))
/** An unknown cost is shown as `?`. */
const costText = (value: number | undefined): string =>
  value === undefined ? '?' : value === 0 ? '-' : `$${value.toFixed(value < 1 ? 4 : 2)}`

const resolvedText = ({ episodes, resolved, share, interval: { low, high } }: EpisodesSummary): string =>
  episodes === 0
    ? '-'
    : `${resolved}/${episodes}  ${percent(share)}  [${(low * 100).toFixed(0)}, ${(high * 100).toFixed(0)}]`

/** Adds the number of writes to the API, whether or not a step made them. */
const stepsText = ({ medians: { steps, writes } }: EpisodesSummary): string =>
  writes === undefined ? numberText(steps) : `${numberText(steps)} (${writes} writes)`

/** Void episodes, and how many of them the engine does not support. */
const voidText = ({ voided, unsupported }: EpisodesSummary): string =>
  unsupported === 0 ? String(voided) : `${voided} (${unsupported} unsupported)`

const mainTable = (contenders: readonly ContenderSummary[]): string =>
  toTable(
    ['CONTENDER', 'RESOLVED  [95 %]', 'VOID', 'MITIGATED IN', 'STEPS', 'TOKENS', 'COST', 'DAMAGE'],
    contenders.map((contender) => [
      ...[
        contender.name,
        resolvedText(contender),
        voidText(contender),
        seconds(contender.medians.timeToMitigate),
      ],
      ...[stepsText(contender), numberText(contender.tokens.input + contender.tokens.output || undefined)],
      ...[costText(contender.costUsd), numberText(contender.medians.collateralDamage)],
    ]),
  )

/** One row for each group, one column for each contender. */
const groupTable = (
  heading: string,
  contenders: readonly ContenderSummary[],
  groupsOf: (contender: ContenderSummary) => readonly EpisodesSummary[],
): string[] => {
  const names = [
    ...new Set(contenders.flatMap((contender) => groupsOf(contender).map(({ name }) => name))),
  ].sort()
  if (names.length < 2) return []
  const cell = (contender: ContenderSummary, name: string): string => {
    const group = groupsOf(contender).find((candidate) => candidate.name === name)
    return group === undefined ? '-' : resolvedText(group)
  }
  const rows = names.map((name) => [name, ...contenders.map((contender) => cell(contender, name))])
  return [toTable([heading, ...contenders.map(({ name }) => name)], rows)]
}

const passTable = (contenders: readonly ContenderSummary[]): string[] => {
  const maxPasses = Math.max(0, ...contenders.map(({ passes }) => passes.length))
  if (maxPasses < 2) return []
  const ks = Array.from({ length: maxPasses }, (_, index) => index)
  const rows = contenders.map(({ name, passes }) => [
    name,
    ...ks.map((k) => percent(passes[k]?.atLeastOne)),
    ...ks.map((k) => percent(passes[k]?.all)),
  ])
  return [toTable(['CONTENDER', ...ks.map((k) => `pass@${k + 1}`), ...ks.map((k) => `pass^${k + 1}`)], rows)]
}

const pointsText = (value: number): string => `${value > 0 ? '+' : ''}${(value * 100).toFixed(0)}`

/** The difference is in percentage points, on the problems that both contenders tried. */
const comparisonTable = (comparisons: readonly Comparison[]): string[] => {
  if (comparisons.length === 0) return []
  const rows = comparisons.map(
    ({ first, second, problems, difference, interval: { low, high }, ...rest }) => [
      ...[`${first} - ${second}`, String(problems)],
      problems === 0 ? 'n/a' : `${pointsText(difference)}  [${pointsText(low)}, ${pointsText(high)}]`,
      `${rest.firstBetter} : ${rest.secondBetter}`,
      problems === 0 ? 'n/a' : rest.p.toFixed(3),
      rest.onlyFirst + rest.onlySecond === 0 ? '-' : String(rest.onlyFirst + rest.onlySecond),
    ],
  )
  const headings = ['PAIRED', 'PROBLEMS', 'DIFFERENCE  [95 %]', 'BETTER ON', 'P (SIGN TEST)', 'NOT PAIRED']
  return [toTable(headings, rows)]
}

const answersTable = (contenders: readonly ContenderSummary[]): string[] => {
  if (contenders.every(({ answers }) => Object.keys(answers).length === 0)) return []
  const rows = contenders.map(({ name, answers }) => [
    name,
    ...SCORE_FIGURES.map(({ format, valueIn }) => figure(valueIn(answers), format)),
  ])
  return [toTable(['CONTENDER', ...SCORE_FIGURES.map(({ column }) => column)], rows)]
}

const blameText = (contenders: readonly ContenderSummary[]): string[] => {
  const lines = contenders.flatMap(({ name, blame }) => {
    const parts = Object.entries(blame).map(([who, count]) => `${who} ${count}`)
    return parts.length === 0 ? [] : [`Not resolved, by blame, ${name}: ${parts.join(', ')}.`]
  })
  return lines.length === 0 ? [] : [lines.join('\n')]
}

/** Shares count judged episodes; their intervals are computed over problems. Time, steps and damage are medians. */
export const runTable = ({ contenders, comparisons, planned, finished, variant }: RunSummary): string =>
  [
    mainTable(contenders),
    ...groupTable('CATEGORY', contenders, ({ byCategory }) => byCategory),
    ...groupTable('SYSTEM', contenders, ({ bySystem }) => bySystem),
    ...groupTable('TASK', contenders, ({ byTask }) => byTask),
    ...groupTable('SUITE', contenders, ({ bySuite }) => bySuite),
    ...passTable(contenders),
    ...comparisonTable(comparisons),
    ...answersTable(contenders),
    ...blameText(contenders),
    `Problems: ${VARIANT_TEXTS[variant]}.`,
    ...(finished < planned ? [`${planned - finished} of ${planned} episodes have not ended.`] : []),
  ].join('\n\n')
