/** Attaches pods to the modelled network and detaches them. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import {
  type AttachedPodIdentity,
  bandwidthOf,
  bucketOf,
  hostPortsOf,
  type NetworkNode,
  type Stored,
} from '#platform/kube/simulated'
import { createEndpoint, type Endpoint } from './model/endpoint.ts'
import type { NetworkState } from './model/network-state.ts'
import type { AddressTranslator } from './model/translate-address.ts'
import type { ClusterDns } from './names/cluster-dns.ts'
import { resolverSettingsOf } from './names/resolver-settings.ts'
import { createTokenBucket, type TokenBucket } from './paths/token-bucket.ts'
import { createProcessNetwork } from './program-network.ts'
import type { PodNetworkModel, ProcessNetwork } from './sim-network.ts'

/** A pod on the network. */
export interface AttachedPod extends AttachedPodIdentity {
  readonly endpoint: Endpoint
  readonly model: PodNetworkModel
}

export interface AttachOptions {
  readonly network: NetworkState
  readonly dns: ClusterDns
  readonly translator: AddressTranslator
  /** By uid. */
  readonly pods: Map<string, AttachedPod>
}

/** A pod with hostNetwork shares the address and the ports of its node. */
const endpointFor = (
  { endpoints, clock }: NetworkState,
  pod: Stored<Pod>,
  { ip, node }: { ip: string; node: NetworkNode },
): Endpoint => {
  if (pod.spec.hostNetwork === true) return endpoints.get(node.hostIP)!
  if (endpoints.has(ip)) throw new Error(`the address ${ip} is in use`)
  const { ingress, egress } = bandwidthOf(pod)
  const bucketsFor = (rate: number | undefined): readonly TokenBucket[] =>
    rate === undefined ? [] : [createTokenBucket(bucketOf(rate), clock.now())]
  const endpoint = createEndpoint('pod', ip, {
    node: node.name,
    egress: bucketsFor(egress),
    ingress: bucketsFor(ingress),
  })
  endpoints.set(ip, endpoint)
  return endpoint
}

const notifyChange = (network: NetworkState): void => {
  network.policies.changed()
  network.epoch += 1
}

const removeEndpoint = ({ network, translator }: AttachOptions, endpoint: Endpoint): void => {
  // The address of a node stays.
  if (endpoint.kind !== 'pod') return
  endpoint.isAttached = false
  network.endpoints.delete(endpoint.address)
  for (const [key, { server }] of [...translator.hostPorts])
    if (server === endpoint) translator.hostPorts.delete(key)
}

/** Returns the existing attachment of an attached pod. */
export const attachPod = (
  options: AttachOptions,
  pod: Stored<Pod>,
  place: { ip: string; node: NetworkNode },
): PodNetworkModel => {
  const { network, translator, pods } = options
  const { uid, namespace = 'default', name } = pod.metadata
  const existing = pods.get(uid)
  if (existing !== undefined) return existing.model
  const endpoint = endpointFor(network, pod, place)
  const settings = resolverSettingsOf(pod, endpoint.address)
  const processes = new Set<ProcessNetwork>()
  const model: PodNetworkModel = {
    ip: endpoint.address,
    startProcess() {
      const process = createProcessNetwork({ ...options, endpoint, settings })
      const end = (): void => {
        processes.delete(process)
        process.end()
      }
      processes.add(process)
      return { ...process, end }
    },
    reading: () => ({
      receivedBytes: endpoint.receivedBytes,
      sentBytes: endpoint.sentBytes,
      receiveDropped: 0,
      sendDropped: 0,
    }),
    detach() {
      if (!pods.delete(uid)) return
      removeEndpoint(options, endpoint)
      for (const process of [...processes]) process.end()
      notifyChange(network)
    },
  }
  pods.set(uid, {
    uid,
    namespace,
    name,
    ip: endpoint.address,
    hostNetwork: endpoint.kind !== 'pod',
    endpoint,
    model,
  })
  for (const { address, protocol, port, containerPort } of hostPortsOf(pod, place.node))
    if (protocol === 'tcp')
      translator.hostPorts.set(`${address}:${port}`, { server: endpoint, port: containerPort })
  notifyChange(network)
  return model
}
