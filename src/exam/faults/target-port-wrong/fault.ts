/** Fault: the target port of a Service has no listener. */
import {
  addReplica,
  applyTask,
  deployedService,
  isServiceOtherwiseSame,
  liveCallers,
  podSpecOf,
  replacePods,
  restartTarget,
  type ServicePort,
  serviceRef,
  serviceSpec,
  targetsByName,
  toPlaybook,
  workloadIn,
} from '#exam/fault-parts'
import { type ContainerView, defineFault, type FaultTarget, type SystemView } from '#spec'

const portsOf = (system: SystemView, name: unknown): readonly ServicePort[] =>
  serviceSpec(deployedService(system, name)).ports ?? []

/** The target port; by default the port of the Service. */
const targetPortOf = ({ port, targetPort }: ServicePort): number | string => targetPort ?? port

type ContainerPorts = NonNullable<ContainerView['ports']>

const containerPorts = (system: SystemView, service: string): ContainerPorts =>
  system.workloadOf(service).podSpec.containers.flatMap(({ ports = [] }) => ports)

/** Resolves the target port to a number; NaN if no container has a port with that name. */
const resolvePort = (ports: ContainerPorts, port: ServicePort): number => {
  const targetPort = targetPortOf(port)
  if (typeof targetPort === 'number') return targetPort
  return ports.find(({ name }) => name === targetPort)?.containerPort ?? Number.NaN
}

const deployedTargetPort = (system: SystemView, { service }: FaultTarget, port: ServicePort): number =>
  resolvePort(containerPorts(system, service), port)

const withFirstTargetPort = (ports: readonly ServicePort[], targetPort: number): readonly ServicePort[] =>
  ports.map((servicePort, index) => (index === 0 ? { ...servicePort, targetPort } : servicePort))

export const fault = defineFault({
  name: 'target-port-wrong',
  about: 'The target port of a Service is one on which its pods do not listen',
  category: 'network-loss',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherLayers: ['network'],
  binding: 'cause',
  parameters: {
    offset: {
      type: 'integer',
      about: 'The difference from the correct port',
      min: 1,
      max: 9,
      default: 1,
    },
  },
  symptoms: [
    'connections to the Service are refused, while its pods are ready',
    'the endpoints of the Service have a port that no container declares',
  ],
  targets: targetsByName,
  async inject(context) {
    const { api, system, target, params } = context
    const ports = portsOf(system, target.object)
    const used = containerPorts(system, target.service).map(({ containerPort }) => containerPort)
    let wrong = deployedTargetPort(system, target, ports[0]!) + Number(params.offset)
    while (used.includes(wrong)) wrong += 1
    await api.patch(serviceRef(system, target.object), 'merge', {
      spec: { ports: withFirstTargetPort(ports, wrong) },
    })
    // Established connections would hide the fault as long as their pods live.
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover({ api, system, target }) {
    const ports = portsOf(system, target.object)
    await api.patch(serviceRef(system, target.object), 'merge', { spec: { ports } })
  },
  isGone(snapshot) {
    const { system, target, now } = snapshot
    const ports = serviceSpec(now.get('Service', String(target.object))).ports ?? []
    const formerPorts = portsOf(system, target.object)
    const workload = workloadIn(now, system.workloadOf(target.service))
    const presentPorts =
      workload === undefined
        ? []
        : podSpecOf(workload).containers.flatMap((container) => container.ports ?? [])
    const isCorrect = formerPorts.every((port) => {
      const found = ports.find((servicePort) => servicePort.port === port.port)
      return (
        found !== undefined && resolvePort(presentPorts, found) === deployedTargetPort(system, target, port)
      )
    })
    const isSame = isServiceOtherwiseSame(snapshot, target.object)
    return {
      holds: isCorrect && isSame,
      evidence: `the Service ${target.object} has the target ports ${ports.map(targetPortOf).join(', ') || 'none'}${isSame ? '' : '; other fields of the Service were changed'}`,
    }
  },
  // Callers that reconnect with growing delays may be restarted.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix: ({ system, target }) =>
    toPlaybook(`Correct the target port of the Service ${target.object}`, [
      applyTask('Set the target port of the pods', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: target.object, namespace: system.namespace },
        spec: { ports: portsOf(system, target.object) },
      }),
    ]),
  hacks: [restartTarget, addReplica],
})
