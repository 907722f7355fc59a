/** Judges an episode by the events recorded so far. */
import {
  type Damage,
  FALLBACK_TASK,
  type Holds,
  type Judgement,
  QUESTIONS,
  type Task,
  taskOf,
  type Verdict,
} from '#spec'
import { judgeAnswers } from './answers/judge-answers.ts'
import { addedWork } from './cause/added-work.ts'
import { isCausePermanent } from './cause/is-cause-permanent.ts'
import { type CauseFinding, judgeCause } from './cause/judge-cause.ts'
import { type DamageReport, describeDamage, judgeDamage } from './damage/judge-damage.ts'
import { measureEpisode } from './measure-episode.ts'
import { judgeUsers, type ServiceWindow } from './users/judge-users.ts'
import { actionEndedAt, isOverdue } from './view/action-end.ts'
import type { EpisodeFacts } from './view/episode-view.ts'
import { findUnprobedCause, findVoidReason, type VoidReason } from './void-reason.ts'

export interface Assessment {
  /** `undecided` if further events may change the outcome. */
  readonly state: 'resolved' | 'unresolved' | 'undecided'
  /** The verdict if the record ended here: undecided counts as unresolved. Must be read before the view changes. */
  readonly verdict: Verdict
  /** The number of further runs that would help to decide, by journey. */
  readonly missingRuns: ReadonlyMap<string, number>
  /**
   * Whether runs that start now will not count: the window in which users must be served starts once the pods of all workloads are
   * ready.
   */
  readonly areRunsPremature: boolean
  /** Whether the only problem is that users wait longer than before the fault. */
  readonly areUsersOnlySlow: boolean
}

interface Findings {
  readonly answers: readonly Judgement[]
  readonly users?: ServiceWindow
  readonly report?: DamageReport
  readonly cause?: CauseFinding
}

const mayAct = ({ problem }: EpisodeFacts): boolean => problem !== undefined && taskOf(problem.task).repairs

const collectFindings = (view: EpisodeFacts): Findings => {
  const answers = judgeAnswers(view)
  if (!mayAct(view)) return { answers, report: judgeDamage(view, { since: view.at }) }
  const cause = judgeCause(view)
  // Requests that a short-lived pod of the solver answered do not count.
  const users = judgeUsers(view, Math.max(actionEndedAt(view), view.settledAt, addedWork(view).endedAt))
  return {
    answers,
    users,
    report: judgeDamage(view, { since: users.since ?? users.slowSince ?? actionEndedAt(view), cause }),
    cause,
  }
}

/** The first version of the rules that distinguishes "not measured" (null) from "does not hold" (false). */
const RULES_WITH_UNMEASURED = 3

const toJudgements = ({ rules }: EpisodeFacts, { answers, users, report, cause }: Findings): Judgement[] => {
  const toHolds = (holds: Holds): Holds => (rules < RULES_WITH_UNMEASURED ? holds === true : holds)
  const judgements = [...answers]
  const broken = report === undefined ? [] : [...report.damage, ...report.unfinished]
  // In tasks that ask only for answers, every change is damage.
  if (cause === undefined && broken.length > 0)
    judgements.push({ oracle: 'nothing-broken', holds: false, evidence: describeDamage(broken) })
  if (users !== undefined && report !== undefined && cause !== undefined) {
    const damage = [...broken, ...report.notRecovered]
    const evidence = damage.length === 0 ? 'everything else is unchanged' : describeDamage(damage)
    judgements.push(
      { oracle: 'users-served', holds: toHolds(users.holds), evidence: users.evidence },
      { oracle: 'nothing-broken', holds: damage.length === 0, evidence },
      {
        oracle: 'cause-gone',
        holds: toHolds(cause.isUnprobed ? null : cause.holds),
        evidence: cause.evidence,
      },
    )
  }
  return judgements
}

const decide = (
  view: EpisodeFacts,
  findings: Findings,
  judgements: readonly Judgement[],
): Assessment['state'] => {
  if (view.solverEnded === undefined) return 'undecided'
  if (judgements.every(({ holds }) => holds === true)) return 'resolved'
  const { answers, report, cause } = findings
  if (cause === undefined || answers.some(({ holds }) => !holds)) return 'unresolved'
  if (report!.damage.length > 0 || isCausePermanent(view, cause) || isOverdue(view)) return 'unresolved'
  return 'undecided'
}

const FAILURES: Readonly<Partial<Record<Judgement['oracle'], string>>> = {
  'users-served': 'users are not served',
  'nothing-broken': 'something else was broken or changed',
  'cause-gone': 'the cause remains',
}

const UNMEASURED: Readonly<Partial<Record<Judgement['oracle'], string>>> = {
  'users-served': 'it was not measured whether users are served',
  'cause-gone': 'it was not measured whether the cause is gone',
}

const isAnswer = ({ oracle }: Judgement): boolean => QUESTIONS.some(({ name }) => name === oracle)

/**
 * Describes the decisive judgement. Failed oracles come before oracles that were not measured, and
 * `users-served`, which may be based on a short observation, comes last.
 */
const toReason = (judgements: readonly Judgement[], { report }: Findings): string => {
  const failed = judgements.filter(({ holds }) => holds === false)
  const wrong = failed.length > 0 ? failed : judgements.filter(({ holds }) => holds === null)
  if (wrong.length === 0) return judgements.map(({ evidence }) => evidence).join('; ')
  const isBroken = (report?.damage.length ?? 0) > 0
  const first =
    wrong.find(isAnswer) ??
    (isBroken ? wrong.find(({ oracle }) => oracle === 'nothing-broken') : undefined) ??
    wrong.find(({ oracle }) => oracle === 'cause-gone') ??
    wrong[0]!
  const texts = first.holds === null ? UNMEASURED : FAILURES
  return `${texts[first.oracle] ?? `the ${first.oracle} is wrong`}: ${first.evidence}`
}

/** Includes objects that have not recovered in time. */
const damageOf = (view: EpisodeFacts, { report, cause }: Findings): readonly Damage[] => [
  ...(report?.damage ?? []),
  ...(cause === undefined || isOverdue(view) ? (report?.unfinished ?? []) : []),
  ...(cause !== undefined && isOverdue(view) ? (report?.notRecovered ?? []) : []),
]

const toVoidAssessment = (view: EpisodeFacts, task: Task, reason: VoidReason): Assessment => {
  const metrics = measureEpisode(view, 0, undefined)
  const verdict = { task, outcome: 'void', ...reason, judgements: [], damage: [], metrics } as const
  return {
    state: 'unresolved',
    verdict,
    missingRuns: new Map(),
    areRunsPremature: false,
    areUsersOnlySlow: false,
  }
}

/**
 * Takes the time only from the record: to let time pass, add events such as `journeys-run` without runs. Once
 * the state is decided, the verdict must be the next event.
 */
export const assess = (view: EpisodeFacts): Assessment => {
  const task = view.problem?.task ?? FALLBACK_TASK
  const voidReason = findVoidReason(view)
  if (voidReason !== undefined) return toVoidAssessment(view, task, voidReason)
  const findings = collectFindings(view)
  const judgements = toJudgements(view, findings)
  const unprobed = findUnprobedCause(view, findings.cause, judgements)
  if (unprobed !== undefined) return toVoidAssessment(view, task, unprobed)
  const state = decide(view, findings, judgements)
  const toVerdict = (): Verdict => {
    const damage = damageOf(view, findings)
    const isResolved = state === 'resolved'
    return {
      task,
      outcome: isResolved ? 'resolved' : 'unresolved',
      ...(isResolved ? {} : { blame: 'agent' }),
      reason: toReason(judgements, findings),
      judgements,
      damage,
      metrics: measureEpisode(view, damage.length, isResolved ? findings.users?.since : undefined),
    }
  }
  return {
    state,
    get verdict() {
      return toVerdict()
    },
    missingRuns: state === 'undecided' ? (findings.users?.missingRuns ?? new Map()) : new Map(),
    areRunsPremature: findings.report?.areMissingPods === true,
    areUsersOnlySlow:
      findings.users?.slowSince !== undefined &&
      judgements.every(({ oracle, holds }) => holds || oracle === 'users-served'),
  }
}
