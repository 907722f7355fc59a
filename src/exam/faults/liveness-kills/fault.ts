/** Fault: a wrong liveness probe kills a healthy container. */
import { defineProbeFault } from '#exam/fault-parts'

export const fault = defineProbeFault({
  name: 'liveness-kills',
  about: 'A liveness probe performs a wrong check, and the kubelet repeatedly kills a healthy container',
  category: 'pod-fail',
  field: 'livenessProbe',
  parameters: {
    period: { type: 'integer', about: 'The period of the probe', min: 1, max: 3, default: 1, unit: 's' },
  },
  symptoms: [
    'the container is restarted repeatedly, and its log shows no error',
    'events report that the liveness probe failed',
  ],
  path: '/livez',
  command: ['cat', '/run/service.pid'],
  timing: ({ params }) => ({ periodSeconds: Number(params.period) }),
  taskName: 'Restore the liveness probe',
  hack: {
    name: 'raise-the-failure-threshold',
    about: 'Raises the failure threshold of the probe',
    change: { failureThreshold: 3 },
  },
})
