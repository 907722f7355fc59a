/** A readiness probe that never passes. */
import { defineProbeFault, isFoundByName, missedWorkloads } from '../../fault-parts/index.ts'

export const fault = defineProbeFault({
  name: 'readiness-never',
  about:
    'A readiness probe asks in the wrong way, so a healthy pod is never ready and its Service has no endpoints',
  category: 'pod-config-error',
  field: 'readinessProbe',
  symptoms: ['the pod runs and is not ready', 'the Service has no endpoints, and connections are refused'],
  // Endpoints count for those who come by a Service of Kubernetes, and not for those who ask a registry.
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ service }) => isFoundByName(system, service))
      .map(({ service }) => ({ service })),
  path: '/ready',
  command: ['test', '-f', '/run/ready'],
  counts: () => ({ periodSeconds: 2 }),
  fixName: 'Set the readiness probe that it had',
  hack: { name: 'ask-less', about: 'Asks seldom, and leaves the question', change: { periodSeconds: 30 } },
})
