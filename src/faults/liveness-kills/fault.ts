/** A liveness probe that takes a healthy container for a dead one. */
import { defineProbeFault } from '../../fault-parts/index.ts'

export const fault = defineProbeFault({
  name: 'liveness-kills',
  about: 'A liveness probe asks in the wrong way, and the kubelet kills a healthy container again and again',
  category: 'pod-fail',
  field: 'livenessProbe',
  parameters: {
    period: { type: 'integer', about: 'How often it asks', least: 1, most: 3, default: 1, unit: 's' },
  },
  symptoms: [
    'the container is restarted again and again, and its log shows nothing wrong',
    'events say that the liveness probe failed',
  ],
  path: '/livez',
  command: ['cat', '/run/service.pid'],
  counts: ({ params }) => ({ periodSeconds: Number(params.period) }),
  fixName: 'Set the liveness probe that it had',
  hack: {
    name: 'bear-more',
    about: 'Lets the probe fail more often before it kills',
    change: { failureThreshold: 3 },
  },
})
