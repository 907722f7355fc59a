/** Fault: a release that listens on the wrong port. */
import { addReplica, defineReleaseFault } from '#exam/fault-parts'

export const fault = defineReleaseFault({
  name: 'release-wrong-port',
  about: 'A new release listens on a port that its callers do not use',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  otherTypes: ['code-defect'],
  defect: 'wrong-port',
  impactOnceReady: () => 'never-ready',
  effect: 'down',
  symptoms: ['connections to the service are refused', 'its pods run, but their probes fail'],
  hacks: [addReplica],
})
