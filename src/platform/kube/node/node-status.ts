/** The Node object that a kubelet registers and keeps up to date. */
import type { Node, NodeCondition, NodeSystemInfo, Taint } from 'kubernetes-types/core/v1.d.ts'
import { type Draft, type Stored, toTime } from '#platform/kube/meta'
import type { ContainerRuntime } from '#platform/kube/ports'

/** The configuration of a node. */
export interface NodeFacts {
  name: string
  /** `InternalIP`, and the host address of its pods. */
  hostIP: string
  /** The range of its pods' addresses. */
  podCIDR?: string
  capacity: Readonly<Record<string, string>>
  /** Defaults to the capacity. */
  allocatable?: Readonly<Record<string, string>>
  labels?: Readonly<Record<string, string>>
  taints?: readonly Taint[]
  nodeInfo?: Partial<NodeSystemInfo>
}

export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure'

const PRESSURES: Readonly<Record<Pressure, { normal: [string, string]; underPressure: [string, string] }>> = {
  MemoryPressure: {
    normal: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    underPressure: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
  },
  DiskPressure: {
    normal: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    underPressure: ['KubeletHasDiskPressure', 'kubelet has disk pressure'],
  },
  PIDPressure: {
    normal: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    underPressure: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
  },
}

/** The reason of the event for a change of pressure, such as `NodeHasDiskPressure`. */
export const pressureEvent = (type: Pressure, active: boolean): string =>
  PRESSURES[type][active ? 'underPressure' : 'normal'][0].replace('Kubelet', 'Node')

export const pressureTypes = Object.keys(PRESSURES) as Pressure[]

const conditionsOf = (
  old: readonly NodeCondition[] | undefined,
  pressures: ReadonlySet<Pressure>,
  now: number,
): NodeCondition[] => {
  const toCondition = (type: string, status: string, [reason, message]: [string, string]): NodeCondition => {
    const previous = old?.find((condition) => condition.type === type)
    const since = previous?.status === status ? previous.lastTransitionTime : undefined
    const time = toTime(now)
    return {
      type,
      status,
      lastHeartbeatTime: time,
      lastTransitionTime: since ?? time,
      reason,
      message,
    }
  }
  return [
    ...pressureTypes.map((type) => {
      const active = pressures.has(type)
      const texts = PRESSURES[type][active ? 'underPressure' : 'normal']
      return toCondition(type, active ? 'True' : 'False', texts)
    }),
    toCondition('Ready', 'True', ['KubeletReady', 'kubelet is posting ready status']),
  ]
}

const systemInfo = ({ name, nodeInfo }: NodeFacts, runtime: ContainerRuntime): NodeSystemInfo => ({
  machineID: name,
  systemUUID: name,
  bootID: name,
  kernelVersion: '6.1.0',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
  containerRuntimeVersion: `${runtime.name}://${runtime.version}`,
  kubeletVersion: 'v1.32.4',
  kubeProxyVersion: 'v1.32.4',
  operatingSystem: 'linux',
  architecture: 'amd64',
  ...nodeInfo,
})

export interface NodeStatusInput {
  runtime: ContainerRuntime
  /** The last reported status; unchanged conditions keep their transition times. */
  previous: Stored<Node>['status'] | undefined
  pressures: ReadonlySet<Pressure>
  now: number
}

/** The status that the kubelet reports at `now`. */
export const nodeStatus = (
  facts: NodeFacts,
  { runtime, previous, pressures, now }: NodeStatusInput,
): Stored<Node>['status'] => ({
  capacity: { ...facts.capacity },
  allocatable: { ...(facts.allocatable ?? facts.capacity) },
  conditions: conditionsOf(previous?.conditions, pressures, now),
  addresses: [
    { type: 'InternalIP', address: facts.hostIP },
    { type: 'Hostname', address: facts.name },
  ],
  daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
  nodeInfo: systemInfo(facts, runtime),
  images: runtime.images().map(({ names, sizeBytes }) => ({ names: [...names], sizeBytes })),
})

export const nodeDraft = (facts: NodeFacts): Draft<Node> => ({
  metadata: {
    name: facts.name,
    labels: {
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': facts.name,
      'kubernetes.io/os': 'linux',
      ...facts.labels,
    },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
  },
  spec: {
    ...(facts.podCIDR === undefined ? {} : { podCIDR: facts.podCIDR, podCIDRs: [facts.podCIDR] }),
    ...(facts.taints === undefined ? {} : { taints: [...facts.taints] }),
  },
})
