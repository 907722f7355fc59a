/** Expert: repairs systems by runbooks, without a language model. */
import { type AgentStep, defineAgent } from '../../spec/index.ts'
import { answer } from './answer.ts'
import type { Conclusion } from './conclusion.ts'
import { countSteps } from './count-steps.ts'
import { detect } from './detect.ts'
import { investigate } from './investigate.ts'
import { createWorld } from './observe/world.ts'
import { isLabelled, readReport } from './read-report.ts'
import { repair } from './repair.ts'
import type { Situation } from './situation.ts'

const conclude = async function* (situation: Situation): AsyncGenerator<AgentStep, Conclusion, void> {
  const { task } = situation.briefing
  if (task === 'detection') return yield* detect(situation)
  if (task === 'localisation' || task === 'analysis') return yield* investigate(situation)
  return yield* repair(situation)
}

export const agent = defineAgent({
  name: 'expert',
  about: 'runbooks over the same actions that others have; needs no language model',
  roles: [],
  async *solve({ briefing, actions: given, sleep }) {
    const actions = countSteps(given, briefing.budget.steps)
    const foci = readReport(briefing.report)
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
        ? `The report names ${foci.map(({ service, category }) => `${service} (${category})`).join(' and ')}. I look at what was changed there, and then at its pods.`
        : `The report does not say what is wrong with ${briefing.system}. I look at what was changed, who is not well, and where it begins.`,
    }
    const conclusion = yield* conclude(situation)
    const answers = answer(briefing.task, conclusion)
    yield { thought: `${conclusion.note} I submit.` }
    await actions.call('submit', answers)
  },
})
