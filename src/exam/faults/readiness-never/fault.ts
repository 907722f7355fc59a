/** Fault: a readiness probe that never succeeds. */
import { defineProbeFault, essentialWorkloads, isReachedByName } from '#exam/fault-parts'

export const fault = defineProbeFault({
  name: 'readiness-never',
  about:
    'A readiness probe performs a wrong check, so that a healthy pod is never ready and its Service has no endpoints',
  category: 'pod-config-error',
  field: 'readinessProbe',
  impactOnceReady: () => 'never-ready',
  symptoms: ['the pod runs, but is not ready', 'the Service has no endpoints, and connections are refused'],
  // Readiness affects only callers that use a Kubernetes Service, not those that use a registry.
  targets: (system) =>
    essentialWorkloads(system)
      .filter(({ service }) => isReachedByName(system, service))
      .map(({ service }) => ({ service })),
  path: '/ready',
  command: ['test', '-f', '/run/ready'],
  timing: () => ({ periodSeconds: 2 }),
  taskName: 'Restore the readiness probe',
  hack: {
    name: 'raise-the-probe-period',
    about: 'Raises the period of the probe and keeps the wrong check',
    change: { periodSeconds: 30 },
  },
})
