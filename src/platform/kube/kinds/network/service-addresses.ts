/** Keeps the allocated addresses and ports of a Service when an update omits them. */
import type { ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'

const usesClusterIp = ({ type }: ServiceSpec): boolean => type !== 'ExternalName'
const usesNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)
const usesHealthPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local'

/** Whether the Service accepts traffic from outside the cluster. */
export const isExternallyAccessible = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0)

/** Keeps `clusterIP` equal to the first element of `clusterIPs`, because a client may set only one of them. */
export const mirrorClusterIp = (spec: ServiceSpec, old: ServiceSpec | undefined): void => {
  const { clusterIP = '', clusterIPs = [] } = spec
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP]
    return
  }
  const changed = clusterIP !== (old.clusterIP ?? '')
  const listChanged = !deepEqual(clusterIPs, old.clusterIPs ?? [])
  if (changed && !listChanged) {
    if (clusterIP === '') delete spec.clusterIPs
    else spec.clusterIPs = [clusterIP]
  } else if (!changed && listChanged && clusterIPs.length === 0 && clusterIP !== '') {
    delete spec.clusterIP
  }
}

const keepNodePorts = (spec: ServiceSpec, old: ServiceSpec): void => {
  const before = (old.ports ?? []).map(({ nodePort = 0 }) => nodePort)
  const used = new Set(
    (spec.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => before.includes(port)),
  )
  const byName = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]))
  for (const port of spec.ports ?? []) {
    const oldNodePort = byName.get(port.name ?? '') ?? 0
    if ((port.nodePort ?? 0) !== 0 || oldNodePort === 0 || used.has(oldNodePort)) continue
    port.nodePort = oldNodePort
    used.add(oldNodePort)
  }
}

/** Drops unchanged values of the old type that the new type does not use. */
const dropUnusedValues = (spec: ServiceSpec, old: ServiceSpec): void => {
  if (usesClusterIp(old) && !usesClusterIp(spec)) {
    if (spec.clusterIP === old.clusterIP) delete spec.clusterIP
    if (deepEqual(spec.clusterIPs, old.clusterIPs)) delete spec.clusterIPs
    if (deepEqual(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies
    if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy
    delete spec.internalTrafficPolicy
  }
  if (usesNodePorts(old) && !usesNodePorts(spec)) {
    const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort))
    for (const port of spec.ports ?? []) if (before.has(port.nodePort)) delete port.nodePort
  }
  if (usesHealthPort(old) && !usesHealthPort(spec) && spec.healthCheckNodePort === old.healthCheckNodePort) {
    delete spec.healthCheckNodePort
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts
    }
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass
  }
  if (!isExternallyAccessible(spec) && spec.externalTrafficPolicy === old.externalTrafficPolicy)
    delete spec.externalTrafficPolicy
}

/** Restores allocated values that the client omitted, and drops values that the new type does not use. */
export const keepAllocatedValues = (spec: ServiceSpec, old: ServiceSpec): void => {
  if (usesClusterIp(old) && usesClusterIp(spec)) {
    if ((spec.clusterIP ?? '') === '' && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP
    if (
      (spec.clusterIPs ?? []).length === 0 &&
      spec.clusterIP === old.clusterIP &&
      old.clusterIPs !== undefined
    ) {
      spec.clusterIPs = old.clusterIPs
    }
  }
  if (old.type !== 'ExternalName' && spec.type !== 'ExternalName') {
    if (old.ipFamilies !== undefined) spec.ipFamilies ??= old.ipFamilies
    if (old.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy ??= old.ipFamilyPolicy
  }
  if (usesNodePorts(old) && usesNodePorts(spec)) keepNodePorts(spec, old)
  if (usesHealthPort(old) && usesHealthPort(spec) && old.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort
  }
  dropUnusedValues(spec, old)
}
