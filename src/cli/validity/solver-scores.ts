/** How each solver has done over many episodes, as a table. */
import type { aggregateScores } from '../../oracles/index.ts'
import { percent } from '../figures.ts'
import { toTable } from '../table.ts'

export type SolverScores = { readonly solver: string } & ReturnType<typeof aggregateScores>

const HEADS = [
  'SOLVER',
  'EPISODES',
  'VOID',
  'RESOLVED',
  'F1',
  'FALSE ALARMS',
  'TOP 1',
  'TOP 3',
  'EXACT',
  'DAMAGE',
]

export const solverTable = (scores: readonly SolverScores[]): string =>
  toTable(
    HEADS,
    scores.map(
      ({ solver, episodes, voided, resolvedShare, detection, top, exactMatch, damagePerEpisode }) => [
        ...[solver, String(episodes), String(voided), percent(resolvedShare)],
        ...[detection?.f1?.toFixed(2) ?? '-', percent(detection?.falseAlarms)],
        ...[percent(top?.[1]), percent(top?.[3]), percent(exactMatch), damagePerEpisode.toFixed(1)],
      ],
    ),
  )
