/** The task that asks only whether something is wrong: looks for a while, because trouble that is young has not shown everywhere. */
import type { AgentStep } from '../../spec/index.ts'
import type { Conclusion } from './conclusion.ts'
import { failingJourneys, missingPods, sickPods } from './observe/symptoms.ts'
import type { Situation } from './situation.ts'

const WAITS = [0, 6000, 8000]

const findSigns = async ({ world }: Situation): Promise<readonly string[]> => {
  const alerts = (await world.alerts()).filter(({ severity }) => severity === 'page')
  const signs = alerts.map(({ name, summary }) => `${name}: ${summary}`)
  if (signs.length > 0) return signs
  return [
    ...(await sickPods(world)).map(({ name, phase }) => `pod ${name} is ${phase} and not ready`),
    ...(await failingJourneys(world)),
    ...(await missingPods(world)),
  ]
}

export const detect = async function* (situation: Situation): AsyncGenerator<AgentStep, Conclusion, void> {
  for (const wait of WAITS) {
    await situation.sleep(wait)
    situation.world.forget()
    const signs = await findSigns(situation)
    if (signs.length > 0)
      return { detected: true, hypotheses: [], note: `Something is wrong: ${signs.slice(0, 3).join('; ')}.` }
    yield { thought: 'No alert holds, all pods are ready, and users are served. I look again in a while.' }
  }
  return { detected: false, hypotheses: [], note: 'Nothing has shown for a while: nothing is wrong.' }
}
