/** A release that keeps what it should let go of. */
import { defineReleaseFault, moreMemory } from '../../fault-parts/index.ts'

export const fault = defineReleaseFault({
  name: 'release-leak',
  about: 'A new release keeps ever more in memory, and is busy collecting it in vain until it is killed',
  category: 'memory-stress',
  layer: 'application',
  type: 'code-defect',
  defect: 'leak',
  effect: 'starved',
  symptoms: [
    'memory grows steadily since the release',
    'the service pauses for longer and longer',
    'a container that is near its limit is killed for its memory',
  ],
  hacks: [moreMemory],
})
