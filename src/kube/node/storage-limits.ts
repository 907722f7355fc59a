/** What a pod may lay on its node's disk, and whether it has kept to it. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { podLimits } from '../kinds/index.ts'
import { canonicalQuantity, formatQuantity, type Stored, unitValue } from '../meta/index.ts'
import type { DiskUsage } from '../ports/index.ts'

const STORAGE = 'ephemeral-storage'

const limitsOf = ({ spec }: Stored<Pod>): [string, string][] =>
  [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ name, resources }): [string, string][] => {
    const limit = resources?.limits?.[STORAGE]
    return limit === undefined || unitValue(limit) === 0 ? [] : [[name, limit]]
  })

const sizesOf = ({ spec }: Stored<Pod>): [string, string][] =>
  (spec.volumes ?? []).flatMap(({ name, emptyDir }): [string, string][] => {
    const limit = emptyDir?.sizeLimit
    return limit === undefined || unitValue(limit) === 0 ? [] : [[name, limit]]
  })

/** Whether there is anything to measure. */
export const hasStorageLimits = (pod: Stored<Pod>): boolean =>
  sizesOf(pod).length > 0 || limitsOf(pod).length > 0

/** How much a pod may lay on the disk that has no limits of its own, its volumes that outlive it included. */
export interface StorageAllowance {
  /** Volumes in memory included. */
  readonly most: string
  /** Once less than this is left on the disk, `mostWhenLow` is all that a pod may have. */
  readonly low: string
  readonly mostWhenLow: string
}

const isMemory = ({ spec }: Stored<Pod>, volume: string): boolean =>
  spec.volumes?.find(({ name }) => name === volume)?.emptyDir?.medium === 'Memory'

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, bytes) => sum + bytes, 0)

const volumesOf = (pod: Stored<Pod>, { volumes }: DiskUsage, inMemory: boolean): number =>
  sumOf(
    Object.entries(volumes)
      .filter(([name]) => isMemory(pod, name) === inMemory)
      .map(([, bytes]) => bytes),
  )

const totalOf = (pod: Stored<Pod>, usage: DiskUsage): number =>
  volumesOf(pod, usage, false) + sumOf(Object.values(usage.containers))

/** Why the pod must go, in the kubelet's words; nothing as long as it keeps to its limits. */
export const exceededLimit = (pod: Stored<Pod>, usage: DiskUsage): string | undefined => {
  for (const [name, limit] of sizesOf(pod))
    if ((usage.volumes[name] ?? 0) > unitValue(limit))
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${canonicalQuantity(limit)}". `
  const total = podLimits(pod)[STORAGE]
  if (total !== undefined && total.nano > 0n && totalOf(pod, usage) > Number(total.nano / 1_000_000_000n))
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(total)}. `
  for (const [name, limit] of limitsOf(pod))
    if ((usage.containers[name] ?? 0) > unitValue(limit))
      return `Container ${name} exceeded its local ephemeral storage limit "${canonicalQuantity(limit)}". `
  return undefined
}

/** The same for what every pod is held to. */
export const exceededAllowance = (
  pod: Stored<Pod>,
  usage: DiskUsage,
  { most, low, mostWhenLow }: StorageAllowance,
): string | undefined => {
  const { lasting = {}, availableBytes = Number.POSITIVE_INFINITY } = usage
  const bound = availableBytes < unitValue(low) ? mostWhenLow : most
  const laid = sumOf(Object.values(lasting)) + totalOf(pod, usage)
  const words = (limit: string): string =>
    `Pod ephemeral local storage usage exceeds the total limit of containers ${canonicalQuantity(limit)}. `
  if (laid > unitValue(bound)) return words(bound)
  // All clusters of the machine share the place where these lie, but it is none of the disk.
  return laid + volumesOf(pod, usage, true) > unitValue(most) ? words(most) : undefined
}
