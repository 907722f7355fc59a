/** Measures the disk usage of a simulated pod, for the limits that the kubelet checks. */
import type { DiskUsage } from '#platform/kube'
import { usedBytesOf, type Volume } from './volume.ts'

export interface PodStorage {
  /** The emptyDir volumes by name. */
  readonly emptyDirs: ReadonlyMap<string, Volume>
  /** The volumes that outlive the pod, by name. */
  readonly persistent: ReadonlyMap<string, Volume>
  /** The writable layers and the sizes of the logs, by the names of the containers. */
  readonly containers: ReadonlyMap<string, { readonly layer: Volume; readonly logBytes: number }>
}

const measureAll = (volumes: ReadonlyMap<string, Volume>): Record<string, number> =>
  Object.fromEntries([...volumes].map(([name, volume]) => [name, usedBytesOf(volume)]))

export const measureDisk = ({ emptyDirs, persistent, containers }: PodStorage): DiskUsage => ({
  volumes: measureAll(emptyDirs),
  persistent: measureAll(persistent),
  containers: Object.fromEntries(
    [...containers].map(([name, { layer, logBytes }]) => [name, usedBytesOf(layer) + logBytes]),
  ),
})
