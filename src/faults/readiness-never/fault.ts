/** A readiness probe that never passes. */
import {
  addReplica,
  asksRightly,
  defineTemplateFault,
  deployedProbe,
  mainContainer,
  missedWorkloads,
  patchTarget,
  probeIn,
  withProbe,
  wrongPort,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultCase, type Hack, type SystemView } from '../../spec/index.ts'

const FIELD = 'readinessProbe'

const toProbe = ({ system, target, params }: FaultCase): object => {
  const port = wrongPort(mainContainer(system, target.service))
  const ways: Readonly<Record<string, object>> = {
    port: { tcpSocket: { port } },
    path: { httpGet: { path: '/ready', port } },
    command: { exec: { command: ['test', '-f', '/run/ready'] } },
  }
  return { ...ways[String(params.way)], initialDelaySeconds: 0, periodSeconds: 2, failureThreshold: 1 }
}

/** Endpoints count for those who come by a Service of Kubernetes: users, and callers who ask no registry. */
const isFoundByEndpoints = (system: SystemView, service: string): boolean => {
  const { services = {} } = system.topology ?? {}
  const callers = system.callersOf(service)
  return (
    callers.length === 0 ||
    callers.some((caller) => services[caller]?.behaviour.upstreams?.[service]?.registry === undefined)
  )
}

const askLess: Hack = {
  name: 'ask-less',
  about: 'Asks seldom, and leaves the question',
  act: async (context) => {
    await patchTarget(context, {
      template: { spec: withProbe(context, FIELD, { ...toProbe(context), periodSeconds: 30 }) },
    })
  },
}

const edited = defineTemplateFault({
  name: 'readiness-never',
  about:
    'A readiness probe asks in the wrong way, so a healthy pod is never ready and its Service has no endpoints',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  parameters: {
    way: {
      type: 'choice',
      about: 'How the probe asks',
      choices: ['port', 'path', 'command'],
      default: 'port',
    },
  },
  symptoms: ['the pod runs and is not ready', 'the Service has no endpoints, and connections are refused'],
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ service }) => isFoundByEndpoints(system, service))
      .map(({ service }) => ({ service })),
  edit: (about) => withProbe(about, FIELD, toProbe(about)),
  undo: (about) => withProbe(about, FIELD, deployedProbe(about.system, about.target.service, FIELD)),
  fixName: 'Set the readiness probe that it had',
  look: (workload, about) => probeIn(workload, about, FIELD),
  hacks: [addReplica, askLess],
})

/** A probe that asks rightly is as good as the one that was there, and a service that had none may keep it. */
export const fault = defineFault({
  ...edited,
  isGone: (scene) => asksRightly(scene, FIELD, toProbe(scene)),
  scope: ({ target }) => ({ services: [target.service], probes: true }),
})
