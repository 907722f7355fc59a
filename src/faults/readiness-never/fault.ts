/** A readiness probe that never passes. */
import { defineProbeFault, missedWorkloads } from '../../fault-parts/index.ts'
import type { SystemView } from '../../spec/index.ts'

/** Endpoints count for those who come by a Service of Kubernetes: users, and callers who ask no registry. */
const isFoundByEndpoints = (system: SystemView, service: string): boolean => {
  const { services = {} } = system.topology ?? {}
  const callers = system.callersOf(service)
  return (
    callers.length === 0 ||
    callers.some((caller) => services[caller]?.behaviour.upstreams?.[service]?.registry === undefined)
  )
}

export const fault = defineProbeFault({
  name: 'readiness-never',
  about:
    'A readiness probe asks in the wrong way, so a healthy pod is never ready and its Service has no endpoints',
  category: 'pod-config-error',
  field: 'readinessProbe',
  symptoms: ['the pod runs and is not ready', 'the Service has no endpoints, and connections are refused'],
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ service }) => isFoundByEndpoints(system, service))
      .map(({ service }) => ({ service })),
  path: '/ready',
  command: ['test', '-f', '/run/ready'],
  counts: () => ({ periodSeconds: 2 }),
  fixName: 'Set the readiness probe that it had',
  hack: { name: 'ask-less', about: 'Asks seldom, and leaves the question', change: { periodSeconds: 30 } },
})
