/** Finds out what is wrong without touching anything. */
import type { AgentStep } from '../../spec/index.ts'
import type { Conclusion } from './conclusion.ts'
import { diagnose, onePerService, rank } from './rank.ts'
import type { Hypothesis } from './runbook.ts'
import type { Situation } from './situation.ts'

/** Milliseconds: what is young has not shown everywhere yet, and a pod that starts looks like one that fails. */
const WAITS = [0, 4000, 5000]
const RESERVE = 3
/** Steps that are left when no more runbooks are opened: for a playbook, and a look at what came of it. */
const LEAST_LEFT = 5
/** Below this it is a guess. */
const LIKELY = 0.6

export const describe = ({ claim, evidence, score }: Hypothesis): string =>
  `${claim} (${Math.round(score * 100)} %: ${evidence.slice(0, 3).join('; ') || 'by exclusion'})`

/** Everything that could explain it, the likeliest first. */
export const diagnoseAll = async (
  { world, foci, actions }: Situation,
  tried: ReadonlySet<string> = new Set(),
): Promise<readonly Hypothesis[]> => {
  const found: Hypothesis[] = []
  const hasRoom = (): boolean => actions.left() > LEAST_LEFT
  for (const focus of foci) found.push(...(await diagnose(world, focus, { tried, hasRoom })))
  return rank(found)
}

export const investigate = async function* (
  situation: Situation,
): AsyncGenerator<AgentStep, Conclusion, void> {
  let hypotheses: readonly Hypothesis[] = []
  for (const wait of WAITS) {
    if (wait > 0 && situation.actions.left() < RESERVE + 10) break
    await situation.sleep(wait)
    situation.world.forget()
    const found = onePerService(await diagnoseAll(situation))
    if ((found[0]?.score ?? 0) >= (hypotheses[0]?.score ?? 0)) hypotheses = found
    for (const hypothesis of found.slice(0, 3)) yield { thought: describe(hypothesis) }
    const isYoung = wait === 0 && situation.briefing.task === 'analysis'
    if ((hypotheses[0]?.score ?? 0) >= LIKELY && !isYoung) break
    if (found.length === 0) yield { thought: 'Nothing explains anything yet. I look again in a while.' }
  }
  const [best] = hypotheses
  const note = best === undefined ? 'Nothing is wrong that could be seen.' : best.claim
  return { detected: best !== undefined, hypotheses, note }
}
