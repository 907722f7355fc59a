/** A release in which one endpoint fails, and all others work. */
import { addReplica, defineReleaseFault } from '../../fault-parts/index.ts'
import { isAskedFor } from './asked-for.ts'

export const fault = defineReleaseFault({
  name: 'release-failing-endpoint',
  about: 'A new release fails at every request to one of its endpoints',
  category: 'pod-fail',
  layer: 'application',
  type: 'code-defect',
  defect: 'failing-endpoint',
  effect: 'down',
  fits: isAskedFor,
  symptoms: ['one operation of the service fails every time since the release', 'its others work as before'],
  hacks: [addReplica],
})
