/** A release that ends as soon as it has begun. */
import { addReplica, defineReleaseFault } from '../../fault-parts/index.ts'

export const fault = defineReleaseFault({
  name: 'release-crash',
  about: 'A new release ends with an error right after its start, again and again',
  category: 'pod-fail',
  layer: 'application',
  type: 'code-defect',
  defect: 'crash',
  effect: 'down',
  symptoms: ['containers end with an error and are started again', 'no pod of the service is ready'],
  hacks: [addReplica],
})
