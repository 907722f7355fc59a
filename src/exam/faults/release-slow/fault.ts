/** Fault: a release that delays every response. */
import { addReplica, defineReleaseFault } from '#exam/fault-parts'

export const fault = defineReleaseFault({
  name: 'release-slow',
  about: 'A new release waits before every response without using CPU',
  category: 'network-delay',
  layer: 'application',
  type: 'code-defect',
  defect: 'slow',
  impactOnceReady: () => 'slowness',
  effect: 'slow',
  symptoms: [
    'all responses of the service have been late since the release',
    'its CPU usage is as low as before',
  ],
  hacks: [addReplica],
})
