/** The result of a run as tables for a terminal. */
import type { ContenderSummary, EpisodesSummary, RunSummary } from '../../runs/index.ts'
import { percent, seconds } from '../figures.ts'
import { toTable } from '../table.ts'

const number = (value: number | undefined): string => (value === undefined ? '-' : String(value))
/** What is not known is not nothing. */
const dollars = (value: number | undefined): string =>
  value === undefined ? '?' : value === 0 ? '-' : `$${value.toFixed(value < 1 ? 4 : 2)}`

const resolvedText = ({ episodes, resolved, share, interval: { low, high } }: EpisodesSummary): string =>
  episodes === 0
    ? '-'
    : `${resolved}/${episodes}  ${percent(share)}  [${(low * 100).toFixed(0)}, ${(high * 100).toFixed(0)}]`

const mainTable = (contenders: readonly ContenderSummary[]): string =>
  toTable(
    ['AGENT', 'RESOLVED  [95 %]', 'VOID', 'MITIGATED IN', 'STEPS', 'TOKENS', 'COST', 'DAMAGE'],
    contenders.map((one) => [
      ...[one.name, resolvedText(one), String(one.voided), seconds(one.medians.timeToMitigate)],
      ...[number(one.medians.steps), number(one.tokens.input + one.tokens.output || undefined)],
      ...[dollars(one.costUsd), number(one.medians.collateralDamage)],
    ]),
  )

/** A column for each contender. */
const groupTable = (
  heading: string,
  contenders: readonly ContenderSummary[],
  groupsOf: (contender: ContenderSummary) => readonly EpisodesSummary[],
): string[] => {
  const names = [...new Set(contenders.flatMap((one) => groupsOf(one).map(({ name }) => name)))].sort()
  if (names.length < 2) return []
  const cell = (contender: ContenderSummary, name: string): string => {
    const group = groupsOf(contender).find((one) => one.name === name)
    return group === undefined ? '-' : resolvedText(group)
  }
  const rows = names.map((name) => [name, ...contenders.map((one) => cell(one, name))])
  return [toTable([heading, ...contenders.map(({ name }) => name)], rows)]
}

const passTable = (contenders: readonly ContenderSummary[]): string[] => {
  const most = Math.max(0, ...contenders.map(({ passes }) => passes.length))
  if (most < 2) return []
  const ks = Array.from({ length: most }, (_, index) => index)
  const rows = contenders.map(({ name, passes }) => [
    name,
    ...ks.map((k) => percent(passes[k]?.atLeastOne)),
    ...ks.map((k) => percent(passes[k]?.all)),
  ])
  return [toTable(['AGENT', ...ks.map((k) => `pass@${k + 1}`), ...ks.map((k) => `pass^${k + 1}`)], rows)]
}

const answersTable = (contenders: readonly ContenderSummary[]): string[] => {
  if (contenders.every(({ answers }) => Object.keys(answers).length === 0)) return []
  const rows = contenders.map(({ name, answers: { detection, top, exactMatch } }) => [
    ...[name, detection?.f1?.toFixed(2) ?? '-', percent(detection?.falseAlarms)],
    ...[percent(top?.[1]), percent(top?.[3]), percent(exactMatch)],
  ])
  return [toTable(['AGENT', 'F1', 'FALSE ALARMS', 'TOP 1', 'TOP 3', 'EXACT'], rows)]
}

const blameText = (contenders: readonly ContenderSummary[]): string[] => {
  const lines = contenders.flatMap(({ name, blame }) => {
    const parts = Object.entries(blame).map(([who, count]) => `${who} ${count}`)
    return parts.length === 0 ? [] : [`Not resolved, ${name}: ${parts.join(', ')}.`]
  })
  return lines.length === 0 ? [] : [lines.join('\n')]
}

/** Shares count what was judged; intervals are Wilson's; what is said of time, steps and damage is the median. */
export const runTable = ({ contenders, planned, finished }: RunSummary): string =>
  [
    mainTable(contenders),
    ...groupTable('CATEGORY', contenders, ({ byCategory }) => byCategory),
    ...groupTable('SYSTEM', contenders, ({ bySystem }) => bySystem),
    ...groupTable('TASK', contenders, ({ byTask }) => byTask),
    ...groupTable('SUITE', contenders, ({ bySuite }) => bySuite),
    ...passTable(contenders),
    ...answersTable(contenders),
    ...blameText(contenders),
    ...(finished < planned ? [`${planned - finished} of ${planned} episodes have not ended.`] : []),
  ].join('\n\n')
