/** Compares the disk usage of a pod with its limits. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { podLimits } from '#platform/kube/kinds'
import { canonicalQuantity, formatQuantity, type Stored, unitValue } from '#platform/kube/meta'
import type { DiskUsage } from '#platform/kube/ports'

const EPHEMERAL_STORAGE = 'ephemeral-storage'

const containerLimits = ({ spec }: Stored<Pod>): [string, string][] =>
  [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ name, resources }): [string, string][] => {
    const limit = resources?.limits?.[EPHEMERAL_STORAGE]
    return limit === undefined || unitValue(limit) === 0 ? [] : [[name, limit]]
  })

/** Returns the names and size limits of `emptyDir` volumes. */
const volumeLimits = ({ spec }: Stored<Pod>): [string, string][] =>
  (spec.volumes ?? []).flatMap(({ name, emptyDir }): [string, string][] => {
    const limit = emptyDir?.sizeLimit
    return limit === undefined || unitValue(limit) === 0 ? [] : [[name, limit]]
  })

/** Whether the pod limits its disk usage. */
export const hasStorageLimits = (pod: Stored<Pod>): boolean =>
  volumeLimits(pod).length > 0 || containerLimits(pod).length > 0

/** The storage limit of every pod, including volumes that outlive it. */
export interface StorageAllowance {
  /** The maximum, including volumes in memory. */
  readonly max: string
  /** If less than this is available on the disk, the maximum is `maxWhenLow`. */
  readonly lowDiskThreshold: string
  readonly maxWhenLow: string
}

const isInMemory = ({ spec }: Stored<Pod>, volume: string): boolean =>
  spec.volumes?.find(({ name }) => name === volume)?.emptyDir?.medium === 'Memory'

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, bytes) => sum + bytes, 0)

const volumeBytes = (pod: Stored<Pod>, { volumes }: DiskUsage, inMemory: boolean): number =>
  sumOf(
    Object.entries(volumes)
      .filter(([name]) => isInMemory(pod, name) === inMemory)
      .map(([, bytes]) => bytes),
  )

const diskBytes = (pod: Stored<Pod>, usage: DiskUsage): number =>
  volumeBytes(pod, usage, false) + sumOf(Object.values(usage.containers))

/** Returns the kubelet's message for the first limit that the pod exceeds; undefined if it exceeds none. */
export const exceededLimit = (pod: Stored<Pod>, usage: DiskUsage): string | undefined => {
  for (const [name, limit] of volumeLimits(pod))
    if ((usage.volumes[name] ?? 0) > unitValue(limit))
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${canonicalQuantity(limit)}". `
  const total = podLimits(pod)[EPHEMERAL_STORAGE]
  if (total !== undefined && total.nano > 0n && diskBytes(pod, usage) > Number(total.nano / 1_000_000_000n))
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(total)}. `
  for (const [name, limit] of containerLimits(pod))
    if ((usage.containers[name] ?? 0) > unitValue(limit))
      return `Container ${name} exceeded its local ephemeral storage limit "${canonicalQuantity(limit)}". `
  return undefined
}

/** Returns the kubelet's message if the pod exceeds the allowance; otherwise undefined. */
export const exceededAllowance = (
  pod: Stored<Pod>,
  usage: DiskUsage,
  { max, lowDiskThreshold, maxWhenLow }: StorageAllowance,
): string | undefined => {
  const { persistent = {}, availableBytes = Number.POSITIVE_INFINITY } = usage
  const diskLimit = availableBytes < unitValue(lowDiskThreshold) ? maxWhenLow : max
  const usedBytes = sumOf(Object.values(persistent)) + diskBytes(pod, usage)
  const toMessage = (limit: string): string =>
    `Pod ephemeral local storage usage exceeds the total limit of containers ${canonicalQuantity(limit)}. `
  if (usedBytes > unitValue(diskLimit)) return toMessage(diskLimit)
  // Volumes in memory take no disk space, but all clusters of the machine share the memory.
  return usedBytes + volumeBytes(pod, usage, true) > unitValue(max) ? toMessage(max) : undefined
}
