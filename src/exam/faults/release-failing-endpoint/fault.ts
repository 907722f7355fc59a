/** Fault: a release in which one endpoint fails. */
import { addReplica, defineReleaseFault, isRequiredEndpoint, mainContainer } from '#exam/fault-parts'
import type { SystemView } from '#spec'

/** Whether journeys need the endpoint that fails. True for systems without a topology. */
const isRequired = (system: SystemView, service: string): boolean => {
  const { releases = {} } = system.topology?.services[service]?.deploy ?? {}
  const defects = Object.values(releases).flatMap(({ defects = [] }) => defects)
  return (
    system.topology === undefined ||
    defects.some(
      (defect) =>
        defect.kind === 'failing-endpoint' &&
        defect.endpoint !== undefined &&
        isRequiredEndpoint(system, service, defect.endpoint),
    )
  )
}

/**
 * Whether the readiness probe uses the failing endpoint, which keeps the pods unready. In topologies, probes use other
 * endpoints, which work.
 */
const isProbed = (system: SystemView, service: string): boolean => {
  const path = mainContainer(system, service).readinessProbe?.httpGet?.path
  return system.topology === undefined && path !== undefined && !path.includes('health')
}

export const fault = defineReleaseFault({
  name: 'release-failing-endpoint',
  about: 'A new release fails all requests to one of its endpoints',
  category: 'pod-fail',
  layer: 'application',
  type: 'code-defect',
  defect: 'failing-endpoint',
  impactOnceReady: ({ system, target }) => (isProbed(system, target.service) ? 'never-ready' : 'failures'),
  effect: 'down',
  fits: isRequired,
  symptoms: [
    'one operation of the service has failed at every call since the release',
    'its other operations work',
  ],
  hacks: [addReplica],
})
