/** Formats the scores of solvers as a table. */
import type { aggregateScores } from '#exam/oracles'
import { figure, percent, toTable } from '#lab/text'
import { SCORE_FIGURES } from '#spec'

export type SolverScores = { readonly solver: string } & ReturnType<typeof aggregateScores>

const HEADINGS = [
  'SOLVER',
  'EPISODES',
  'VOID',
  'RESOLVED',
  ...SCORE_FIGURES.map(({ column }) => column),
  'DAMAGE',
]

export const solverTable = (all: readonly SolverScores[]): string =>
  toTable(
    HEADINGS,
    all.map((scores) => {
      const { solver, episodes, voided, resolvedShare, damagePerEpisode } = scores
      return [
        ...[solver, String(episodes), String(voided), percent(resolvedShare)],
        ...SCORE_FIGURES.map(({ format, valueIn }) => figure(valueIn(scores), format)),
        damagePerEpisode.toFixed(1),
      ]
    }),
  )
