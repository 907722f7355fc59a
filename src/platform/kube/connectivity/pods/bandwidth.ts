/** The bandwidth limits of a pod, which its annotations set. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { quantityOrZero, type Stored } from '#platform/kube/meta'

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
  const rate = Number(quantityOrZero(text).nano) / 1e9
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
export const MIN_BUCKET_BYTES = 1600
/** A packet that would wait longer is dropped. */
const MAX_WAIT_S = 0.025

/** A token bucket: `rate` in bits per second, the others in bytes. */
export interface BandwidthBucket {
  readonly rate: number
  readonly buffer: number
  /** The bytes that may wait for tokens. */
  readonly limit: number
}

/** The bucket with which the limit of an annotation is applied. */
export const bucketOf = (rate: number): BandwidthBucket => {
  const waitingBytes = Math.ceil((rate / 8) * MAX_WAIT_S)
  const buffer = Math.max(MIN_BUCKET_BYTES, waitingBytes)
  return { rate, buffer, limit: buffer + waitingBytes }
}
