/** Opens the runbooks, and ranks what they find. */
import type { World } from './observe/world.ts'
import type { Focus, Hypothesis, Runbook } from './runbook.ts'
import { RUNBOOKS } from './runbooks/index.ts'

/** From here on a hypothesis stands by its own evidence. */
export const SURE = 0.9

/** From this runbook on they infer, and are opened only where objects tell nothing. */
const FIRST_INFERRED = 'secrets'

export const keyOf = ({ runbook, services }: Hypothesis): string => `${runbook} ${services[0]}`

const isFor = ({ category }: Focus, { categories }: Runbook): boolean =>
  category === undefined || categories.includes(category)

/** The likeliest first; of equals, as the runbooks are ordered. */
export const rank = (hypotheses: readonly Hypothesis[]): readonly Hypothesis[] =>
  [...hypotheses].sort((one, other) => other.score - one.score)

export interface DiagnosisLimits {
  /** Keys of those that were tried already. */
  readonly tried: ReadonlySet<string>
  /** Whether there are steps left for another runbook, and for what is done then. */
  hasRoom(): boolean
}

/** All that explains what is seen in the focus. Of a named root cause the first sure one is enough. */
export const diagnose = async (
  world: World,
  focus: Focus,
  { tried, hasRoom }: DiagnosisLimits,
): Promise<readonly Hypothesis[]> => {
  const found: Hypothesis[] = []
  const isKnown = (): boolean => found.some(({ score }) => score >= SURE)
  for (const runbook of RUNBOOKS) {
    const isInferring = RUNBOOKS.indexOf(runbook) >= RUNBOOKS.findIndex(({ name }) => name === FIRST_INFERRED)
    if (isKnown() && (isInferring || focus.service !== undefined)) break
    if (!hasRoom()) break
    if (!isFor(focus, runbook)) continue
    const hypotheses = await runbook.look(world, focus)
    found.push(...hypotheses.filter((one) => !tried.has(keyOf(one))))
  }
  return rank(found)
}

/** Whether the runbook that found it finds it again. */
export const isFoundAgain = async (world: World, { runbook, services }: Hypothesis): Promise<boolean> => {
  const found = await RUNBOOKS.find(({ name }) => name === runbook)?.look(world, {})
  return (found ?? []).some((one) => one.services[0] === services[0])
}

/** Of each service the likeliest alone: two causes in one place are one until it has been mended. */
export const onePerService = (hypotheses: readonly Hypothesis[]): readonly Hypothesis[] =>
  hypotheses.filter(
    (one, index) => hypotheses.findIndex(({ services }) => services[0] === one.services[0]) === index,
  )
