/** Checks whether users were served well before a fault. */
import type { Equipment } from './equipment.ts'

const MAX_FAILED_SHARE = 0.05

/** Describes why the system is not healthy; undefined if it is healthy. */
export const findHealthProblem = ({ view, journeys: { healthy } }: Equipment): string | undefined => {
  const journeys = healthy.toBaseline()
  const missing = view.journeys.find(({ name }) => !journeys.some(({ journey }) => journey === name))
  if (missing !== undefined) return `${view.name} has no baseline: the journey ${missing.name} never ran.`
  const failing = journeys.find(({ runs, failures }) => failures > Math.max(1, runs * MAX_FAILED_SHARE))
  if (failing === undefined) return undefined
  const { failures, runs, journey } = failing
  return `${view.name} is not healthy without a fault: ${failures} of ${runs} runs of ${journey} failed.`
}
