/** Runs the runbooks and ranks their hypotheses. */
import type { World } from './observe/world.ts'
import type { Focus, Hypothesis, Runbook } from './runbook.ts'
import { RUNBOOKS } from './runbooks/index.ts'

/** A hypothesis with at least this score is certain from its own evidence. */
export const CERTAIN_SCORE = 0.9

/** This runbook and those after it infer causes. They are used only if those before it found nothing certain. */
const FIRST_INFERRING_RUNBOOK = 'secrets'

export const keyOf = ({ runbook, services }: Hypothesis): string => `${runbook} ${services[0]}`

const isRelevant = ({ category }: Focus, { categories }: Runbook): boolean =>
  category === undefined || categories.includes(category)

/** Sorts by score; equal scores keep the order of the runbooks. */
export const rank = (hypotheses: readonly Hypothesis[]): readonly Hypothesis[] =>
  [...hypotheses].sort((a, b) => b.score - a.score)

export interface DiagnosisLimits {
  /** The keys of hypotheses that were tried already. */
  readonly tried: ReadonlySet<string>
  /** Whether enough steps are left for another runbook and a repair. */
  hasSteps(): boolean
}

/** Returns the hypotheses in the focus. If the focus names a service, the first certain hypothesis is sufficient. */
export const diagnose = async (
  world: World,
  focus: Focus,
  { tried, hasSteps }: DiagnosisLimits,
): Promise<readonly Hypothesis[]> => {
  const newHypotheses: Hypothesis[] = []
  const hasCertainHypothesis = (): boolean => newHypotheses.some(({ score }) => score >= CERTAIN_SCORE)
  for (const runbook of RUNBOOKS) {
    const isInferring =
      RUNBOOKS.indexOf(runbook) >= RUNBOOKS.findIndex(({ name }) => name === FIRST_INFERRING_RUNBOOK)
    if (hasCertainHypothesis() && (isInferring || focus.service !== undefined)) break
    if (!hasSteps()) break
    if (!isRelevant(focus, runbook)) continue
    const hypotheses = await runbook.diagnose(world, focus)
    newHypotheses.push(...hypotheses.filter((hypothesis) => !tried.has(keyOf(hypothesis))))
  }
  return rank(newHypotheses)
}

/** Whether the runbook of a hypothesis still returns it. */
export const isFoundAgain = async (world: World, { runbook, services }: Hypothesis): Promise<boolean> => {
  const hypotheses = await RUNBOOKS.find(({ name }) => name === runbook)?.diagnose(world, {})
  return (hypotheses ?? []).some((hypothesis) => hypothesis.services[0] === services[0])
}

/** Keeps only the most likely hypothesis of each service. */
export const onePerService = (hypotheses: readonly Hypothesis[]): readonly Hypothesis[] =>
  hypotheses.filter(
    (hypothesis, index) =>
      hypotheses.findIndex(({ services }) => services[0] === hypothesis.services[0]) === index,
  )
