/** Submits immediately that nothing is wrong: the lower bound for every problem. */
import { defineAgent } from '#spec'

export const agent = defineAgent({
  name: 'null',
  about: 'does nothing and submits that nothing is wrong',
  roles: [],
  async *solve({ actions }) {
    yield { thought: 'I do nothing.' }
    await actions.call('submit', { detected: false })
  },
})
