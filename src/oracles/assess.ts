/** Judges an episode as far as its record has come. */
import {
  type Blame,
  type Damage,
  isReadOnlyTask,
  type Judgement,
  type Task,
  type Verdict,
} from '../spec/index.ts'
import { addedWork } from './added-work.ts'
import { arePodsOnTheWay } from './are-pods-on-the-way.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { isMeant } from './is-meant.ts'
import { judgeAnswers } from './judge-answers.ts'
import { type CauseFinding, judgeCause } from './judge-cause.ts'
import { type DamageReport, judgeDamage, tellDamage } from './judge-damage.ts'
import { judgeUsers, type ServiceWindow } from './judge-users.ts'
import { measureEpisode } from './measure-episode.ts'

export interface Assessment {
  /** `undecided`: more evidence may change it; ask again after the next events. */
  readonly state: 'resolved' | 'unresolved' | 'undecided'
  /** As if the record ended here: what is undecided counts as unresolved. */
  readonly verdict: Verdict
  /** How many more walks of which journey would help to decide. */
  readonly wanted: ReadonlyMap<string, number>
  /** All that is wrong is that users wait longer than they did. */
  readonly areUsersOnlySlow: boolean
}

/** So long after the act a system may take to serve its users again. */
const PATIENCE_MS = 30_000
/** And so much longer where an autoscaler may have to add pods: it looks every 15 s, and leaves pods out that are younger. */
const AUTOSCALER_MS = 20_000
/** A cause that is still there is told only when users, too, have had time to say how they fare. */
const EVIDENCE_MS = 1000
/** What services do at their start, such as filling a database, is seen inside pods only so long after they are there. */
const STARTING_MS = 2000
/** A program that was told to end from inside its pod may take so long to do so, and until then no object tells of it. */
const ENDING_MS = 6000

interface Findings {
  readonly answers: readonly Judgement[]
  readonly users?: ServiceWindow
  readonly report?: DamageReport
  readonly cause?: CauseFinding
}

const isActing = ({ problem }: EpisodeFacts): boolean =>
  problem !== undefined && !isReadOnlyTask(problem.task)

/** When the solver had ended and all that heals by itself had done so. */
const actedAt = (view: EpisodeFacts): number =>
  Math.max(
    view.ended?.at ?? view.at,
    ...[...view.injections.values()]
      .filter(({ planned }) => planned.shape.kind === 'transient')
      .map(({ recovered, since, planned: { shape } }) =>
        shape.kind === 'transient' ? (recovered ?? since + shape.forMs) : 0,
      ),
  )

const hasAutoscaler = ({ objects }: EpisodeFacts): boolean =>
  [...objects.now.values()].some(({ kind }) => kind === 'HorizontalPodAutoscaler')

const isOverdue = (view: EpisodeFacts): boolean => {
  const periods = [...view.injections.values()].map(({ planned: { shape } }) =>
    shape.kind === 'intermittent' ? shape.onMs + shape.offMs : 0,
  )
  const patience = PATIENCE_MS + (hasAutoscaler(view) ? AUTOSCALER_MS : 0)
  return view.at > actedAt(view) + patience + Math.max(0, ...periods)
}

/** Without it nothing can be judged, so nothing may be called well. */
const missingFrom = (view: EpisodeFacts): string | undefined => {
  if (!view.isBaselineTaken || view.baseline.size === 0) return 'how users fared before the fault'
  if (!view.areObjectsListed) return 'which objects there were before the fault'
  return view.began === undefined ? 'when the solver began' : undefined
}

interface Void {
  readonly blame: Blame
  readonly reason: string
}

const toVoid = (view: EpisodeFacts): Void | undefined => {
  const planned = view.problem?.faults.length ?? 0
  if (view.failure !== undefined) {
    const { blame, code, message } = view.failure
    return { blame, reason: `${code}: ${message}` }
  }
  if (view.shown !== undefined && view.shown.shown !== planned > 0)
    return {
      blame: 'environment',
      reason: `users ${view.shown.shown ? 'felt a fault where there is none' : 'did not feel the fault'}: ${view.shown.evidence}`,
    }
  const missing = missingFrom(view)
  if (view.ended !== undefined && missing !== undefined)
    return { blame: 'harness', reason: `the record does not tell ${missing}` }
  if (view.ended !== undefined && view.injections.size < planned)
    return { blame: 'harness', reason: `only ${view.injections.size} of ${planned} faults were put in` }
  return undefined
}

const gather = (view: EpisodeFacts): Findings => {
  const answers = judgeAnswers(view)
  if (!isActing(view)) return { answers, report: judgeDamage(view, view.at) }
  // Who is served by a pod of the act that ends is not served.
  const users = judgeUsers(view, Math.max(actedAt(view), view.settledAt, addedWork(view).endedAt))
  return {
    answers,
    users,
    report: judgeDamage(view, users.since ?? users.slowSince ?? actedAt(view)),
    cause: judgeCause(view),
  }
}

const toJudgements = ({ answers, users, report, cause }: Findings): Judgement[] => {
  const judgements = [...answers]
  // Who only has to answer has nothing to change.
  const left = report === undefined ? [] : [...report.damage, ...report.unfinished]
  if (cause === undefined && left.length > 0)
    judgements.push({ oracle: 'nothing-broken', holds: false, evidence: tellDamage(left) })
  if (users !== undefined && report !== undefined && cause !== undefined) {
    const wrong = [...left, ...report.notYet]
    const evidence = wrong.length === 0 ? 'everything else is as it was' : tellDamage(wrong)
    judgements.push(
      { oracle: 'users-served', holds: users.holds, evidence: users.evidence },
      { oracle: 'nothing-broken', holds: wrong.length === 0, evidence },
      { oracle: 'cause-gone', holds: cause.holds, evidence: cause.evidence },
    )
  }
  return judgements
}

/**
 * With these an agent can do something inside pods. The laboratory's own playbooks are not among them: its references and hacks end
 * before they return, and are judged at once.
 */
const REACHING: readonly string[] = ['exec_shell', 'run_playbook']

/** When whatever was done inside pods must have shown itself; not at all where nobody could do anything there. */
const reachedUntil = ({ steps }: EpisodeFacts): number | undefined => {
  const last = steps.findLast(({ action }) => REACHING.includes(action))
  return last === undefined ? undefined : last.at + ENDING_MS
}

/** Whether the cause is there to stay: nothing that the act has begun, and no pod that is on its way because of it, can change it. */
const isCauseLeft = (view: EpisodeFacts, cause: CauseFinding): boolean => {
  if (cause.holds || !cause.isCertain || view.at - actedAt(view) < EVIDENCE_MS) return false
  const { unfinished, endedAt } = addedWork(view)
  if (unfinished.length > 0) return false
  if (cause.isIndependentOfPods) return true
  const reached = cause.probedAt === undefined ? undefined : reachedUntil(view)
  if (reached === undefined && !view.acts.some(isMeant)) return true
  const { probedAt = Number.POSITIVE_INFINITY } = cause
  const seenFrom = Math.max(view.settledAt + STARTING_MS, endedAt + STARTING_MS, reached ?? 0)
  const isStartingAnew = reached !== undefined && !cause.isInOnePod && view.unsettled.size > 0
  return !isStartingAnew && !arePodsOnTheWay(view, cause.isInOnePod) && probedAt >= seenFrom
}

const decide = (
  view: EpisodeFacts,
  findings: Findings,
  judgements: readonly Judgement[],
): Assessment['state'] => {
  if (view.ended === undefined) return 'undecided'
  if (judgements.every(({ holds }) => holds)) return 'resolved'
  const { answers, report, cause } = findings
  if (cause === undefined || answers.some(({ holds }) => !holds)) return 'unresolved'
  if (report!.damage.length > 0 || isCauseLeft(view, cause) || isOverdue(view)) return 'unresolved'
  return 'undecided'
}

const WORDS: Readonly<Record<Judgement['oracle'], string>> = {
  detection: 'the answer whether something is wrong',
  localisation: 'the answer where it is',
  analysis: 'the answer what it is',
  'users-served': 'users are not served',
  'nothing-broken': 'something else was broken or touched',
  'cause-gone': 'the cause is still there',
}

const isAnswer = ({ oracle }: Judgement): boolean =>
  ['detection', 'localisation', 'analysis'].includes(oracle)

/** What decided it comes first: users who were not asked for long have little to say. */
const toReason = (judgements: readonly Judgement[], { report }: Findings): string => {
  const wrong = judgements.filter(({ holds }) => !holds)
  if (wrong.length === 0) return judgements.map(({ evidence }) => evidence).join('; ')
  const isBroken = (report?.damage.length ?? 0) > 0
  const first =
    wrong.find(isAnswer) ??
    (isBroken ? wrong.find(({ oracle }) => oracle === 'nothing-broken') : undefined) ??
    wrong.find(({ oracle }) => oracle === 'cause-gone') ??
    wrong[0]!
  return `${WORDS[first.oracle]}${isAnswer(first) ? ' is wrong' : ''}: ${first.evidence}`
}

/** What has not come back in time counts, too. */
const damageOf = (view: EpisodeFacts, { report, cause }: Findings): readonly Damage[] => [
  ...(report?.damage ?? []),
  ...(cause === undefined || isOverdue(view) ? (report?.unfinished ?? []) : []),
  ...(cause !== undefined && isOverdue(view) ? (report?.notYet ?? []) : []),
]

/** Who did all else well is not to blame where nobody could look for the cause; whoever broke something cannot hide behind it. */
const toUnseen = (
  view: EpisodeFacts,
  { cause }: Findings,
  judgements: readonly Judgement[],
): Void | undefined => {
  if (cause?.isUnseen !== true || !isOverdue(view)) return undefined
  if (judgements.some(({ oracle, holds }) => !holds && oracle !== 'cause-gone')) return undefined
  return { blame: 'harness', reason: cause.evidence }
}

const leaveOut = (view: EpisodeFacts, task: Task, reason: Void): Assessment => {
  const metrics = measureEpisode(view, 0, undefined)
  const verdict = { task, outcome: 'void', ...reason, judgements: [], damage: [], metrics } as const
  return { state: 'unresolved', verdict, wanted: new Map(), areUsersOnlySlow: false }
}

/**
 * Time comes from the record alone: where nothing happens, add an event (walks, even none) to let it pass. Decided
 * once, nothing more may be recorded before the verdict.
 */
export const assess = (view: EpisodeFacts): Assessment => {
  const task = view.problem?.task ?? 'mitigation'
  const nothing = toVoid(view)
  if (nothing !== undefined) return leaveOut(view, task, nothing)
  const findings = gather(view)
  const judgements = toJudgements(findings)
  const unseen = toUnseen(view, findings, judgements)
  if (unseen !== undefined) return leaveOut(view, task, unseen)
  const state = decide(view, findings, judgements)
  const damage = damageOf(view, findings)
  const isResolved = state === 'resolved'
  const verdict: Verdict = {
    task,
    outcome: isResolved ? 'resolved' : 'unresolved',
    ...(isResolved ? {} : { blame: 'agent' }),
    reason: toReason(judgements, findings),
    judgements,
    damage,
    metrics: measureEpisode(view, damage.length, isResolved ? findings.users?.since : undefined),
  }
  return {
    state,
    verdict,
    wanted: state === 'undecided' ? (findings.users?.wanted ?? new Map()) : new Map(),
    areUsersOnlySlow:
      findings.users?.slowSince !== undefined &&
      judgements.every(({ oracle, holds }) => holds || oracle === 'users-served'),
  }
}
