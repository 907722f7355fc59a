/** The Node object that a kubelet registers and keeps up to date. */
import type { Node, NodeCondition, NodeSystemInfo, Taint } from 'kubernetes-types/core/v1.d.ts'
import { type Draft, type Stored, toTime } from '../meta/index.ts'
import type { ContainerRuntime } from '../ports/index.ts'

/** What is said of a node when it is made. */
export interface NodeFacts {
  name: string
  /** `InternalIP`, and the host address of its pods. */
  hostIP: string
  /** The range of its pods' addresses. */
  podCIDR?: string
  capacity: Readonly<Record<string, string>>
  /** The capacity where absent. */
  allocatable?: Readonly<Record<string, string>>
  labels?: Readonly<Record<string, string>>
  taints?: readonly Taint[]
  nodeInfo?: Partial<NodeSystemInfo>
}

export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure'

const PRESSURES: Readonly<Record<Pressure, { calm: [string, string]; pressed: [string, string] }>> = {
  MemoryPressure: {
    calm: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    pressed: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
  },
  DiskPressure: {
    calm: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    pressed: ['KubeletHasDiskPressure', 'kubelet has disk pressure'],
  },
  PIDPressure: {
    calm: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    pressed: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
  },
}

/** `NodeHasDiskPressure`: the event that tells of a change. */
export const pressureEvent = (type: Pressure, pressed: boolean): string =>
  PRESSURES[type][pressed ? 'pressed' : 'calm'][0].replace('Kubelet', 'Node')

export const pressureTypes = Object.keys(PRESSURES) as Pressure[]

const conditionsOf = (
  old: readonly NodeCondition[] | undefined,
  pressures: ReadonlySet<Pressure>,
  now: number,
): NodeCondition[] => {
  const condition = (type: string, status: string, [reason, message]: [string, string]): NodeCondition => {
    const before = old?.find((one) => one.type === type)
    const since = before?.status === status ? before.lastTransitionTime : undefined
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
      const pressed = pressures.has(type)
      return condition(type, pressed ? 'True' : 'False', PRESSURES[type][pressed ? 'pressed' : 'calm'])
    }),
    condition('Ready', 'True', ['KubeletReady', 'kubelet is posting ready status']),
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

/** The status as of now; `old` keeps the times of transitions. */
export const nodeStatus = (
  facts: NodeFacts,
  runtime: ContainerRuntime,
  old: Stored<Node>['status'] | undefined,
  pressures: ReadonlySet<Pressure>,
  now: number,
): Stored<Node>['status'] => ({
  capacity: { ...facts.capacity },
  allocatable: { ...(facts.allocatable ?? facts.capacity) },
  conditions: conditionsOf(old?.conditions, pressures, now),
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
