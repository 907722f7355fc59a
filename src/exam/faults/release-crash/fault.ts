/** Fault: a release that exits right after its start. */
import { addReplica, defineReleaseFault } from '#exam/fault-parts'

export const fault = defineReleaseFault({
  name: 'release-crash',
  about: 'A new release exits with an error right after each start',
  category: 'pod-fail',
  layer: 'application',
  type: 'code-defect',
  defect: 'crash',
  impactOnceReady: () => 'never-ready',
  effect: 'down',
  symptoms: ['containers exit with an error and are restarted', 'no pod of the service is ready'],
  hacks: [addReplica],
})
