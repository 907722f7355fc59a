/** A release that takes its time over every answer. */
import { addReplica, defineReleaseFault } from '../../fault-parts/index.ts'

export const fault = defineReleaseFault({
  name: 'release-slow',
  about: 'A new release waits before every answer, without using the CPU',
  category: 'network-delay',
  layer: 'application',
  type: 'code-defect',
  defect: 'slow',
  effect: 'slow',
  symptoms: ['every answer of the service comes late since the release', 'its CPU is as idle as before'],
  hacks: [addReplica],
})
