/** Fault: a release with an endless loop. */
import { addReplica, defineReleaseFault } from '#exam/fault-parts'

export const fault = defineReleaseFault({
  name: 'release-hot-loop',
  about: 'A new release runs an endless loop that starves its own requests',
  category: 'cpu-stress',
  layer: 'application',
  type: 'code-defect',
  defect: 'hot-loop',
  effect: 'starved',
  symptoms: ['the CPU has been at its limit since the release', 'responses of the service are late'],
  hacks: [addReplica],
})
