/** Limits the bandwidth of a pod, at the cluster's end of its veth pair. */
import { type NetworkNamespace, runChecked } from '#machine/linux'
import { bucketOf, type PodBandwidth } from '#platform/kube/connectivity'

const toDiscipline = (bits: number): string => {
  const { rate, buffer, limit } = bucketOf(bits)
  return `tbf rate ${rate}bit burst ${buffer} limit ${limit}`
}

/** Egress of the pod is redirected to an ifb device, because only outgoing traffic of a device can be shaped. */
const egressDeviceOf = (device: string): string => `ifb-${device}`

export interface BandwidthTarget {
  /** The namespace of the cluster. */
  readonly namespace: NetworkNamespace
  /** The cluster's end of the veth pair. */
  readonly device: string
  readonly environment: Readonly<Record<string, string>>
}

export const limitBandwidth = async (target: BandwidthTarget, limits: PodBandwidth): Promise<void> => {
  const { namespace, device, environment } = target
  const { ingress, egress } = limits
  const egressDevice = egressDeviceOf(device)
  if (egress !== undefined) {
    await runChecked('ip', ['link', 'add', egressDevice, 'type', 'ifb'], { namespace, environment })
    await runChecked('ip', ['link', 'set', egressDevice, 'up'], { namespace, environment })
  }
  const lines = [
    ...(ingress === undefined ? [] : [`qdisc add dev ${device} root ${toDiscipline(ingress)}`]),
    ...(egress === undefined
      ? []
      : [
          `qdisc add dev ${egressDevice} root ${toDiscipline(egress)}`,
          `qdisc add dev ${device} ingress`,
          `filter add dev ${device} parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev ${egressDevice}`,
        ]),
  ]
  await runChecked('tc', ['-batch', '-'], { namespace, environment, input: `${lines.join('\n')}\n` })
}

/** Removes the ifb device, which is not removed with the pod. */
export const releaseBandwidth = async (target: BandwidthTarget, { egress }: PodBandwidth): Promise<void> => {
  const { namespace, device, environment } = target
  if (egress === undefined) return
  await runChecked('ip', ['link', 'delete', egressDeviceOf(device)], { namespace, environment })
}
