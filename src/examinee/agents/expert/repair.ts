/** Diagnoses and repairs the system: the most likely cause first, with a minimal change and a verification. */
import type { AgentStep } from '#spec'
import type { Conclusion } from './conclusion.ts'
import { describeHypothesis, diagnoseAll } from './investigate.ts'
import { isLabelled } from './parse-report.ts'
import { CERTAIN_SCORE, isFoundAgain, keyOf, onePerService } from './rank.ts'
import type { Hypothesis } from './runbook.ts'
import type { Situation } from './situation.ts'
import { listRemainingSymptoms, listSymptoms, waitUntilSettled } from './verify.ts'

const MAX_ROUNDS = 4
/** No repair is started with this number of steps left or fewer. */
const RESERVED_STEPS = 4
/** How many steps a diagnosis takes: of the whole system, or of a named service. */
const DIAGNOSIS_STEPS = { everywhere: 14, named: 8 } as const
/** A transient fault has passed after this time. */
const MAX_TRANSIENT_MS = 9500
/** An intermittent fault reappears within a few such intervals. */
const RECHECK_MS = 2000
const MAX_RECHECKS = 3
const MAX_RECHECK_STEPS = 6
/** A recent fault may not show all symptoms yet. */
const FIRST_WAIT_MS = 3000
/** Hypotheses with a lower score do not lead to a change. */
const MIN_LIKELY_SCORE = 0.5

type Steps<T> = AsyncGenerator<AgentStep, T, void>

/** Whether the problem persists after a wait. Returns true if too few steps are left to check. */
const isStillPresent = async (situation: Situation, hypothesis: Hypothesis): Promise<boolean> => {
  const hasSteps = (): boolean => situation.actions.remaining() > RESERVED_STEPS + MAX_RECHECK_STEPS
  if (!hasSteps()) return true
  await situation.sleep(Math.max(RECHECK_MS, MAX_TRANSIENT_MS - situation.waited()))
  for (let check = 0; check < MAX_RECHECKS && hasSteps(); check += 1) {
    if (check > 0) await situation.sleep(RECHECK_MS)
    situation.world.refresh()
    if (await isFoundAgain(situation.world, hypothesis)) return true
  }
  return false
}

/** Applies the fix of a hypothesis. Returns whether the playbook succeeded and its pods became ready. */
const applyFix = async function* (situation: Situation, hypothesis: Hypothesis): Steps<boolean> {
  const { fix } = hypothesis
  if (fix === undefined) {
    yield { thought: `${hypothesis.claim} No repair is known for this cause.` }
    return false
  }
  yield { thought: fix.plan }
  const { ok, text } = await situation.actions.call('run_playbook', { playbook: fix.playbook })
  if (!ok) {
    yield { thought: `The playbook failed: ${text.split('\n').slice(0, 2).join(' ').slice(0, 300)}` }
    return false
  }
  const isSettled = await waitUntilSettled(situation, fix)
  const changed = fix.services.join(', ') || 'the changed objects'
  yield {
    thought: isSettled
      ? `The playbook completed, and ${changed} became ready.`
      : `The playbook completed, but ${changed} did not become ready in time.`,
  }
  return isSettled
}

/** Returns all certain hypotheses, or else the most likely one. */
const chooseLikely = (hypotheses: readonly Hypothesis[]): readonly Hypothesis[] => {
  const likely = onePerService(hypotheses.filter(({ score }) => score >= MIN_LIKELY_SCORE))
  const certain = likely.filter(({ score }) => score >= CERTAIN_SCORE)
  return certain.length > 0 ? certain : likely.slice(0, 1)
}

/** If the report names several root causes, one hypothesis for each is returned. */
const choose = (situation: Situation, hypotheses: readonly Hypothesis[]): readonly Hypothesis[] =>
  isLabelled(situation.foci)
    ? onePerService(hypotheses).slice(0, situation.foci.length)
    : chooseLikely(hypotheses)

/** Repairs the causes one after another. Returns whether all of them were repaired. */
const repairAll = async function* (situation: Situation, hypotheses: readonly Hypothesis[]): Steps<boolean> {
  let repairedCount = 0
  for (const hypothesis of hypotheses) {
    if (situation.actions.remaining() <= RESERVED_STEPS) break
    yield { thought: describeHypothesis(hypothesis) }
    const isNamed = isLabelled(situation.foci)
    if (hypothesis.mayBeTransient && !isNamed && !(await isStillPresent(situation, hypothesis))) {
      yield { thought: 'The problem has passed without intervention. I change nothing.' }
      continue
    }
    if (yield* applyFix(situation, hypothesis)) repairedCount += 1
  }
  return repairedCount === hypotheses.length
}

/** Whether the repair needs no further check. A wrong clock is only inferred by exclusion. */
const isConclusive = ({ runbook, type }: Hypothesis): boolean =>
  runbook !== 'faulty-pod' || type !== 'misconfiguration'

/** Called if there is no hypothesis. Returns true if the system is healthy; otherwise waits for further symptoms. */
const confirmHealthy = async function* (situation: Situation): Steps<boolean> {
  const symptoms = await listSymptoms(situation)
  if (symptoms.length === 0 && situation.waited() >= MAX_TRANSIENT_MS) return true
  yield {
    thought:
      symptoms.length === 0
        ? 'All pods are ready, and users are served. I check again after a wait.'
        : `There are symptoms (${symptoms.slice(0, 2).join('; ')}), but no hypothesis yet. I check again after a wait.`,
  }
  await situation.sleep(4000)
  situation.world.refresh()
  return false
}

export const repair = async function* (situation: Situation): Steps<Conclusion> {
  const isNamed = isLabelled(situation.foci)
  const tried = new Set<string>()
  const accepted: Hypothesis[] = []
  if (!isNamed) await situation.sleep(FIRST_WAIT_MS)
  let note = 'No fault was found, and nothing was changed.'
  const minSteps = RESERVED_STEPS + DIAGNOSIS_STEPS[isNamed ? 'named' : 'everywhere']
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (round > 0 && situation.actions.remaining() < minSteps) break
    const choice = choose(situation, await diagnoseAll(situation, tried))
    if (choice.length === 0) {
      if (yield* confirmHealthy(situation)) break
      continue
    }
    accepted.push(...choice)
    for (const hypothesis of choice) tried.add(keyOf(hypothesis))
    const isDone = yield* repairAll(situation, choice)
    note = choice.map(({ claim }) => claim).join(' ')
    if (isNamed && isDone && choice.length >= situation.foci.length && choice.every(isConclusive)) break
    if (situation.actions.remaining() <= RESERVED_STEPS + 3) break
    const symptoms = await listRemainingSymptoms(situation)
    if (symptoms.length === 0) break
    yield {
      thought: `Symptoms remain: ${symptoms.slice(0, 3).join('; ')}. I continue with the next hypothesis.`,
    }
  }
  return { detected: accepted.length > 0, hypotheses: accepted, note }
}
