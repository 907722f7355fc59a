/** Diagnoses the system without changing it. */
import { type AgentStep, answerNamesOf } from '#spec'
import type { Conclusion } from './conclusion.ts'
import { diagnose, onePerService, rank } from './rank.ts'
import type { Hypothesis } from './runbook.ts'
import type { Situation } from './situation.ts'

/** A recent fault may not show all symptoms yet, and a starting pod looks like a failing one. */
const WAITS_MS = [0, 4000, 5000]
const RESERVED_STEPS = 3
/** With this number of steps left or fewer, no further runbook is used: a playbook and its verification need them. */
const MIN_REMAINING_STEPS = 5
/** A hypothesis with a lower score is a guess. */
const MIN_LIKELY_SCORE = 0.6

export const describeHypothesis = ({ claim, evidence, score }: Hypothesis): string =>
  `${claim} (${Math.round(score * 100)} %: ${evidence.slice(0, 3).join('; ') || 'by exclusion'})`

/** Returns all hypotheses, most likely first. */
export const diagnoseAll = async (
  { world, foci, actions }: Situation,
  triedKeys: ReadonlySet<string> = new Set(),
): Promise<readonly Hypothesis[]> => {
  const hypotheses: Hypothesis[] = []
  const hasSteps = (): boolean => actions.remaining() > MIN_REMAINING_STEPS
  for (const focus of foci) hypotheses.push(...(await diagnose(world, focus, { tried: triedKeys, hasSteps })))
  return rank(hypotheses)
}

export const investigate = async function* (
  situation: Situation,
): AsyncGenerator<AgentStep, Conclusion, void> {
  let hypotheses: readonly Hypothesis[] = []
  for (const wait of WAITS_MS) {
    if (wait > 0 && situation.actions.remaining() < RESERVED_STEPS + 10) break
    await situation.sleep(wait)
    situation.world.refresh()
    const diagnoses = onePerService(await diagnoseAll(situation))
    if ((diagnoses[0]?.score ?? 0) >= (hypotheses[0]?.score ?? 0)) hypotheses = diagnoses
    for (const hypothesis of diagnoses.slice(0, 3)) yield { thought: describeHypothesis(hypothesis) }
    const needsSecondCheck = wait === 0 && answerNamesOf(situation.briefing.task).includes('type')
    if ((hypotheses[0]?.score ?? 0) >= MIN_LIKELY_SCORE && !needsSecondCheck) break
    if (diagnoses.length === 0) yield { thought: 'No hypothesis yet. I check again after a wait.' }
  }
  const [best] = hypotheses
  const note = best === undefined ? 'No fault was found.' : best.claim
  return { detected: best !== undefined, hypotheses, note }
}
