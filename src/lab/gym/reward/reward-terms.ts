/** The shaping terms of rewards: values from 0 to 1 that are derived from the record of an attempt. */
import type { EpisodeEvent, Judgement, Problem, Verdict } from '#spec'

export interface JudgedAttempt {
  readonly problem: Pick<Problem, 'budget'>
  readonly events: readonly EpisodeEvent[]
  readonly verdict: Verdict
}

/** Returns the value of a term, 1 at best; undefined if the term does not apply to the attempt. */
type TermValue = (attempt: JudgedAttempt) => number | undefined

const judged =
  (oracle: Judgement['oracle']): TermValue =>
  ({ verdict }) => {
    const judgement = verdict.judgements.find((one) => one.oracle === oracle)
    return judgement && Number(judgement.holds === true)
  }

const shareLeft = (used: number, total: number): number => Math.min(1, Math.max(0, 1 - used / total))

/** 0 for an unresolved attempt: otherwise it would pay to give up early. */
const ifResolved =
  (value: (attempt: JudgedAttempt) => number): TermValue =>
  (attempt) =>
    attempt.verdict.outcome === 'resolved' ? value(attempt) : 0

const solvingSeconds = ({ events }: JudgedAttempt): number => {
  const start = events.find(({ type }) => type === 'solver-started')?.at ?? 0
  const end = events.findLast(({ type }) => type === 'solver-ended')?.at ?? start
  return (end - start) / 1000
}

export const REWARD_TERMS = {
  'valid-playbook': ({ events, verdict }) => {
    // Tasks without a repair have no users to restore, and so no playbook.
    if (!verdict.judgements.some(({ oracle }) => oracle === 'users-served')) return undefined
    return Number(events.some((event) => event.type === 'playbook-vetted' && !event.isRefused))
  },
  'users-recovered': judged('users-served'),
  'cause-gone': judged('cause-gone'),
  damage: ({ verdict }) => 1 / (1 + Math.max(verdict.damage.length, verdict.metrics.collateralDamage)),
  'requests-lost': ({ verdict: { metrics } }) =>
    metrics.journeyRuns === 0 ? undefined : shareLeft(metrics.journeyRunsFailed, metrics.journeyRuns),
  steps: ifResolved(({ problem, verdict }) => shareLeft(verdict.metrics.steps, problem.budget.steps)),
  time: ifResolved((attempt) => shareLeft(solvingSeconds(attempt), attempt.problem.budget.seconds)),
} as const satisfies Record<string, TermValue>

export type RewardTerm = keyof typeof REWARD_TERMS

export const REWARD_TERM_NAMES = Object.keys(REWARD_TERMS) as RewardTerm[]
