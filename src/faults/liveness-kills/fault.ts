/** A liveness probe that takes a healthy container for a dead one. */
import {
  addReplica,
  asksRightly,
  defineTemplateFault,
  deployedProbe,
  mainContainer,
  patchTarget,
  probeIn,
  withProbe,
  wrongPort,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultCase, type Hack } from '../../spec/index.ts'

const FIELD = 'livenessProbe'

const toProbe = ({ system, target, params }: FaultCase): object => {
  const port = wrongPort(mainContainer(system, target.service))
  const ways: Readonly<Record<string, object>> = {
    port: { tcpSocket: { port } },
    path: { httpGet: { path: '/livez', port } },
    command: { exec: { command: ['cat', '/run/service.pid'] } },
  }
  const counts = { initialDelaySeconds: 0, periodSeconds: Number(params.period), failureThreshold: 1 }
  return { ...ways[String(params.way)], ...counts }
}

const bearMore: Hack = {
  name: 'bear-more',
  about: 'Lets the probe fail more often before it kills',
  act: async (context) => {
    await patchTarget(context, {
      template: { spec: withProbe(context, FIELD, { ...toProbe(context), failureThreshold: 3 }) },
    })
  },
}

const edited = defineTemplateFault({
  name: 'liveness-kills',
  about: 'A liveness probe asks in the wrong way, and the kubelet kills a healthy container again and again',
  category: 'pod-fail',
  layer: 'virtualisation',
  type: 'misconfiguration',
  parameters: {
    way: {
      type: 'choice',
      about: 'How the probe asks',
      choices: ['port', 'path', 'command'],
      default: 'port',
    },
    period: { type: 'integer', about: 'How often it asks', least: 1, most: 3, default: 1, unit: 's' },
  },
  symptoms: [
    'the container is restarted again and again, and its log shows nothing wrong',
    'events say that the liveness probe failed',
  ],
  edit: (about) => withProbe(about, FIELD, toProbe(about)),
  undo: (about) => withProbe(about, FIELD, deployedProbe(about.system, about.target.service, FIELD)),
  fixName: 'Set the liveness probe that it had',
  look: (workload, about) => probeIn(workload, about, FIELD),
  hacks: [addReplica, bearMore],
})

/** A probe that asks rightly is as good as the one that was there, and a service that had none may keep it. */
export const fault = defineFault({
  ...edited,
  isGone: (scene) => asksRightly(scene, FIELD, toProbe(scene)),
  scope: ({ target }) => ({ services: [target.service], probes: true }),
})
