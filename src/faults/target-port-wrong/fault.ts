/** A Service that leads to a port on which nobody listens. */
import {
  addReplica,
  applyTask,
  deployedService,
  isServiceOtherwiseSame,
  liveCallers,
  replacePods,
  restartTheTarget,
  type ServicePort,
  servedByName,
  serviceRef,
  serviceSpec,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type SystemView } from '../../spec/index.ts'

const portsOf = (system: SystemView, name: unknown): readonly ServicePort[] =>
  serviceSpec(deployedService(system, name)).ports ?? []

/** What the first port leads to; a Service that does not say leads to its own port. */
const targetPortOf = ({ port, targetPort }: ServicePort): number | string => targetPort ?? port

interface ContainerPort {
  readonly name?: string
  readonly containerPort: number
}

const containerPorts = (system: SystemView, service: string): readonly ContainerPort[] =>
  system.workloadOf(service).podSpec.containers.flatMap(({ ports = [] }) => ports as readonly ContainerPort[])

/** A name is that of a container's port. */
const numberOf = (system: SystemView, { service }: FaultTarget, port: ServicePort): number => {
  const to = targetPortOf(port)
  if (typeof to === 'number') return to
  return containerPorts(system, service).find(({ name }) => name === to)?.containerPort ?? port.port
}

const withFirst = (ports: readonly ServicePort[], targetPort: number): readonly ServicePort[] =>
  ports.map((one, index) => (index === 0 ? { ...one, targetPort } : one))

export const fault = defineFault({
  name: 'target-port-wrong',
  about: 'A Service leads to a port on which its pods do not listen',
  category: 'network-loss',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherLayers: ['network'],
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
    const used = containerPorts(system, target.service).map(({ containerPort }) => containerPort)
    let wrong = numberOf(system, target, ports[0]!) + Number(params.offset)
    while (used.includes(wrong)) wrong += 1
    await api.patch(serviceRef(system, target.object), 'merge', { spec: { ports: withFirst(ports, wrong) } })
    // Connections that stand would hide it for as long as the pods live that they lead to.
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover({ api, system, target }) {
    const ports = portsOf(system, target.object)
    await api.patch(serviceRef(system, target.object), 'merge', { spec: { ports } })
  },
  isGone(scene) {
    const { system, target, now } = scene
    const ports = serviceSpec(now.get('Service', String(target.object))).ports ?? []
    const right = portsOf(system, target.object)
    const leadsThere = right.every((port) => {
      const found = ports.find((one) => one.port === port.port)
      return found !== undefined && numberOf(system, target, found) === numberOf(system, target, port)
    })
    const isSame = isServiceOtherwiseSame(scene, target.object)
    return {
      holds: leadsThere && isSame,
      evidence: `the Service ${target.object} leads to ${ports.map(targetPortOf).join(', ') || 'no port'}${isSame ? '' : ', and is not what it was otherwise'}`,
    }
  },
  // Callers that wait ever longer before they connect again may be hurried.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix: ({ system, target }) =>
    toPlaybook(`Lead the Service ${target.object} to the port of its pods`, [
      applyTask('Set the target port', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: target.object, namespace: system.namespace },
        spec: { ports: portsOf(system, target.object) },
      }),
    ]),
  hacks: [restartTheTarget, addReplica],
})
