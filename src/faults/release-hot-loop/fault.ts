/** A release whose program never stops computing. */
import { addReplica, defineReleaseFault } from '../../fault-parts/index.ts'

export const fault = defineReleaseFault({
  name: 'release-hot-loop',
  about: 'A new release computes without end and starves its own requests',
  category: 'cpu-stress',
  layer: 'application',
  type: 'code-defect',
  defect: 'hot-loop',
  effect: 'starved',
  symptoms: ['CPU at the limit since the release', 'what the service answers comes late'],
  hacks: [addReplica],
})
