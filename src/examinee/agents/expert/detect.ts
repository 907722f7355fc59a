/** Solves the task detection: checks several times, because a recent fault may not show symptoms yet. */
import type { AgentStep } from '#spec'
import type { Conclusion } from './conclusion.ts'
import { listFailingJourneys, listIncompleteDeployments, listUnhealthyPods } from './observe/symptoms.ts'
import type { Situation } from './situation.ts'

const WAITS_MS = [0, 6000, 8000]

const listSymptoms = async ({ world }: Situation): Promise<readonly string[]> => {
  const alerts = (await world.alerts()).filter(({ severity }) => severity === 'page')
  const symptoms = alerts.map(({ name, summary }) => `${name}: ${summary}`)
  if (symptoms.length > 0) return symptoms
  return [
    ...(await listUnhealthyPods(world)).map(({ name, phase }) => `pod ${name} is ${phase} and not ready`),
    ...(await listFailingJourneys(world)),
    ...(await listIncompleteDeployments(world)),
  ]
}

export const detect = async function* (situation: Situation): AsyncGenerator<AgentStep, Conclusion, void> {
  for (const wait of WAITS_MS) {
    await situation.sleep(wait)
    situation.world.refresh()
    const symptoms = await listSymptoms(situation)
    if (symptoms.length > 0)
      return {
        detected: true,
        hypotheses: [],
        note: `A fault is present: ${symptoms.slice(0, 3).join('; ')}.`,
      }
    yield {
      thought: 'No alert is active, all pods are ready, and users are served. I check again after a wait.',
    }
  }
  return {
    detected: false,
    hypotheses: [],
    note: 'No symptoms appeared during the checks. No fault is present.',
  }
}
