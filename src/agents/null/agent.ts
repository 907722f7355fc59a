/** Does nothing: says at once that nothing is wrong. What a problem is worth shows against it. */
import { defineAgent } from '../../spec/index.ts'

export const agent = defineAgent({
  name: 'null',
  about: 'does nothing and says that nothing is wrong',
  roles: [],
  async *solve({ actions }) {
    yield { thought: 'I do nothing.' }
    await actions.call('submit', { detected: false })
  },
})
