/** The Expert: diagnoses and repairs systems with runbooks, without a language model. */
import { type AgentStep, defineAgent, taskOf } from '#spec'
import { asksForCause } from './asks-for-cause.ts'
import type { Conclusion } from './conclusion.ts'
import { countSteps } from './count-steps.ts'
import { detect } from './detect.ts'
import { investigate } from './investigate.ts'
import { createWorld } from './observe/world.ts'
import { isLabelled, parseReport } from './parse-report.ts'
import { repair } from './repair.ts'
import type { Situation } from './situation.ts'
import { toAnswers } from './to-answers.ts'

const conclude = async function* (situation: Situation): AsyncGenerator<AgentStep, Conclusion, void> {
  const { task } = situation.briefing
  if (taskOf(task).repairs) return yield* repair(situation)
  if (asksForCause(task)) return yield* investigate(situation)
  return yield* detect(situation)
}

export const agent = defineAgent({
  name: 'expert',
  about: 'runbooks with the same actions as other agents, without a language model',
  roles: [],
  async *solve({ briefing, actions: rawActions, sleep }) {
    const actions = countSteps(rawActions, briefing.budget.steps)
    const foci = parseReport(briefing.report)
    let waited = 0
    const situation: Situation = {
      briefing,
      foci,
      actions,
      world: createWorld(actions, briefing.namespace),
      async sleep(ms) {
        waited += ms
        await sleep(ms)
      },
      waited: () => waited,
    }
    yield {
      thought: isLabelled(foci)
        ? `The report names ${foci.map(({ service, category }) => `${service} (${category})`).join(' and ')}. I check what was changed there, and then its pods.`
        : `The report does not name a cause. I check the whole system ${briefing.system}: recent changes, unhealthy services, and where the problem originates.`,
    }
    const conclusion = yield* conclude(situation)
    const answers = toAnswers(briefing.task, conclusion)
    yield { thought: `${conclusion.note} I submit.` }
    await actions.call('submit', answers)
  },
})
