/** Limits the bandwidth of a pod by its annotations, at the cluster's end of its veth pair. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { type NetworkNamespace, runChecked } from '#machine/linux'
import { parseQuantity, type Stored } from '#platform/kube/meta'

const ANNOTATIONS = {
  ingress: 'kubernetes.io/ingress-bandwidth',
  egress: 'kubernetes.io/egress-bandwidth',
} as const

/** In bits per second; undefined means unlimited. */
export interface PodBandwidth {
  readonly ingress?: number
  readonly egress?: number
}

const MIN_RATE_BITS = 1000
const MAX_RATE_BITS = 1e15

const rateOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const rate = Number(parseQuantity(text).nano) / 1e9
  if (rate < MIN_RATE_BITS) throw new Error('resource is unreasonably small (< 1kbit)')
  if (rate > MAX_RATE_BITS) throw new Error('resource is unreasonably large (> 1Pbit)')
  return Math.floor(rate)
}

/** Throws with the CNI plugin's message if an annotation is out of range. */
export const bandwidthOf = ({ metadata: { annotations } }: Stored<Pod>): PodBandwidth => {
  const ingress = rateOf(annotations?.[ANNOTATIONS.ingress])
  const egress = rateOf(annotations?.[ANNOTATIONS.egress])
  return defined({ ingress, egress })
}

/** The kernel rejects a bucket smaller than one packet. */
const MIN_BUCKET_BYTES = 1600
/** A packet that would wait longer is dropped. */
const MAX_WAIT_S = 0.025

const toDiscipline = (rate: number): string => {
  const waitingBytes = Math.ceil((rate / 8) * MAX_WAIT_S)
  const bucketBytes = Math.max(MIN_BUCKET_BYTES, waitingBytes)
  return `tbf rate ${rate}bit burst ${bucketBytes} limit ${bucketBytes + waitingBytes}`
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
