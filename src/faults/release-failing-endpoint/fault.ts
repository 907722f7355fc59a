/** A release in which one endpoint fails, and all others work. */
import { addReplica, defineReleaseFault, isAskedFor } from '../../fault-parts/index.ts'
import type { SystemView } from '../../spec/index.ts'

/** Whether users need the endpoint that fails in the service's bad release. Without a topology they are known to. */
const isMissed = (system: SystemView, service: string): boolean => {
  const { releases = {} } = system.topology?.services[service]?.deploy ?? {}
  const defects = Object.values(releases).flatMap(({ defects = [] }) => defects)
  return (
    system.topology === undefined ||
    defects.some(
      (defect) =>
        defect.kind === 'failing-endpoint' &&
        defect.endpoint !== undefined &&
        isAskedFor(system, service, defect.endpoint),
    )
  )
}

export const fault = defineReleaseFault({
  name: 'release-failing-endpoint',
  about: 'A new release fails at every request to one of its endpoints',
  category: 'pod-fail',
  layer: 'application',
  type: 'code-defect',
  defect: 'failing-endpoint',
  effect: 'down',
  fits: isMissed,
  symptoms: ['one operation of the service fails every time since the release', 'its others work as before'],
  hacks: [addReplica],
})
