/** A Service that leads to a port on which nobody listens. */
import {
  applyTask,
  deployedService,
  neededCallers,
  replacePods,
  type ServicePort,
  servedByName,
  serviceRef,
  serviceSpec,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { defineFault, type SystemView } from '../../spec/index.ts'

const portsOf = (system: SystemView, name: unknown): readonly ServicePort[] =>
  serviceSpec(deployedService(system, name)).ports ?? []

/** What the first port leads to; a Service that does not say leads to its own port. */
const targetPortOf = ({ port, targetPort }: ServicePort): number | string => targetPort ?? port

const withFirst = (ports: readonly ServicePort[], targetPort: number): readonly ServicePort[] =>
  ports.map((one, index) => (index === 0 ? { ...one, targetPort } : one))

export const fault = defineFault({
  name: 'target-port-wrong',
  about: 'A Service leads to a port on which its pods do not listen',
  category: 'network-loss',
  layer: 'virtualisation',
  type: 'misconfiguration',
  binding: 'cause',
  parameters: {
    offset: {
      type: 'integer',
      about: 'How far the port lies from the right one',
      least: 1,
      most: 9,
      default: 1,
    },
  },
  symptoms: [
    'connections to the Service are refused, while its pods are ready',
    'the endpoints of the Service have a port that no container names',
  ],
  targets: servedByName,
  async inject(context) {
    const { api, system, target, params } = context
    const ports = portsOf(system, target.object)
    const right = targetPortOf(ports[0]!)
    // A port by name is a number of the container's; beside it there is nobody.
    const wrong = (typeof right === 'number' ? right : ports[0]!.port) + Number(params.offset)
    await api.patch(serviceRef(system, target.object), 'merge', { spec: { ports: withFirst(ports, wrong) } })
    // Connections that stand would hide it for as long as the pods live that they lead to.
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover({ api, system, target }) {
    const ports = portsOf(system, target.object)
    await api.patch(serviceRef(system, target.object), 'merge', { spec: { ports } })
  },
  isGone({ target, now, state }) {
    const ports = serviceSpec(now.get('Service', String(target.object))).ports ?? []
    const wrong = ports.some((port) => targetPortOf(port) === state.wrong)
    return {
      holds: ports.length > 0 && !wrong,
      evidence: `the Service ${target.object} leads to ${ports.map(targetPortOf).join(', ') || 'no port'}`,
    }
  },
  // Callers that wait ever longer before they connect again may be hurried.
  scope: ({ system, target }) => ({ services: [target.service, ...neededCallers(system, target.service)] }),
  fix: ({ system, target }) =>
    toPlaybook(`Lead the Service ${target.object} to the port of its pods`, [
      applyTask('Set the target port', {
        ...{ apiVersion: 'v1', kind: 'Service' },
        metadata: { name: target.object, namespace: system.namespace },
        spec: { ports: portsOf(system, target.object) },
      }),
    ]),
  hacks: [
    {
      name: 'restart-the-target',
      about: 'Replaces the pods, which listened well before',
      act: (context) => replacePods(context, context.target.service),
    },
    {
      name: 'add-replicas',
      about: 'Puts more pods behind the Service, which are reached on the same wrong port',
      async act({ api, system, target }) {
        const { kind, name, replicas } = system.workloadOf(target.service)
        const plural = kind === 'Deployment' ? 'deployments' : 'statefulsets'
        await api.scale({ apiVersion: 'apps/v1', plural, namespace: system.namespace, name }, replicas + 1)
      },
    },
  ],
})
