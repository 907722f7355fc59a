/** The bandwidth that a pod's annotations grant it, kept at the cluster's end of its pair of devices. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { type NetworkNamespace, runChecked } from '../../../linux/index.ts'
import { parseQuantity, type Stored } from '../../meta/index.ts'

const ANNOTATIONS = {
  ingress: 'kubernetes.io/ingress-bandwidth',
  egress: 'kubernetes.io/egress-bandwidth',
} as const

/** Bits a second; absent where there is no limit. */
export interface PodBandwidth {
  readonly ingress?: number
  readonly egress?: number
}

const LEAST = 1000
const MOST = 1e15

const rateOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const rate = Number(parseQuantity(text).nano) / 1e9
  if (rate < LEAST) throw new Error('resource is unreasonably small (< 1kbit)')
  if (rate > MOST) throw new Error('resource is unreasonably large (> 1Pbit)')
  return Math.floor(rate)
}

/** Throws in the kubelet's words where an annotation makes no sense. */
export const bandwidthOf = ({ metadata: { annotations } }: Stored<Pod>): PodBandwidth => {
  const ingress = rateOf(annotations?.[ANNOTATIONS.ingress])
  const egress = rateOf(annotations?.[ANNOTATIONS.egress])
  return { ...(ingress === undefined ? {} : { ingress }), ...(egress === undefined ? {} : { egress }) }
}

/** Bytes that pass at once; the kernel refuses a bucket in which not even one packet fits. */
const LEAST_BUCKET = 1600
/** A packet that would wait longer is dropped. */
const LONGEST_WAIT_S = 0.025

const toDiscipline = (rate: number): string => {
  const waiting = Math.ceil((rate / 8) * LONGEST_WAIT_S)
  const bucket = Math.max(LEAST_BUCKET, waiting)
  return `tbf rate ${rate}bit burst ${bucket} limit ${bucket + waiting}`
}

/** What leaves the pod can only be shaped on a device that it leaves by: one that is made for that. */
const egressDeviceOf = (device: string): string => `ifb-${device}`

export interface BandwidthPlace {
  /** The cluster's. */
  readonly namespace: NetworkNamespace
  /** The near end of the pair. */
  readonly device: string
  readonly environment: Readonly<Record<string, string>>
}

export const limitBandwidth = async (place: BandwidthPlace, limits: PodBandwidth): Promise<void> => {
  const { namespace, device, environment } = place
  const { ingress, egress } = limits
  const own = egressDeviceOf(device)
  if (egress !== undefined) {
    await runChecked('ip', ['link', 'add', own, 'type', 'ifb'], { namespace, environment })
    await runChecked('ip', ['link', 'set', own, 'up'], { namespace, environment })
  }
  const lines = [
    ...(ingress === undefined ? [] : [`qdisc add dev ${device} root ${toDiscipline(ingress)}`]),
    ...(egress === undefined
      ? []
      : [
          `qdisc add dev ${own} root ${toDiscipline(egress)}`,
          `qdisc add dev ${device} ingress`,
          `filter add dev ${device} parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev ${own}`,
        ]),
  ]
  await runChecked('tc', ['-batch', '-'], { namespace, environment, input: `${lines.join('\n')}\n` })
}

/** What `limitBandwidth` made that does not go with the pod. */
export const releaseBandwidth = async (place: BandwidthPlace, { egress }: PodBandwidth): Promise<void> => {
  const { namespace, device, environment } = place
  if (egress === undefined) return
  await runChecked('ip', ['link', 'delete', egressDeviceOf(device)], { namespace, environment })
}
