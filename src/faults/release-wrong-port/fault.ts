/** A release that listens where nobody asks. */
import { addReplica, defineReleaseFault } from '../../fault-parts/index.ts'

export const fault = defineReleaseFault({
  name: 'release-wrong-port',
  about: 'A new release listens on another port than the one that everybody asks',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  otherTypes: ['code-defect'],
  defect: 'wrong-port',
  effect: 'down',
  symptoms: ['connections to the service are refused', 'its pods run, and their probes fail'],
  hacks: [addReplica],
})
