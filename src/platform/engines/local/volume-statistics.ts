/** Measures the files in the volumes of claims. */
import { findClaimFolder } from '#platform/engines/local/contents'
import { type Client, measureFolder, persistentVolumeClaims, unitValue } from '#platform/kube'
import type { VolumeReading, VolumeStatistics } from '#spec'

export const createVolumeStatistics = (client: Client, folder: string): VolumeStatistics => ({
  async read(namespace) {
    const readings: VolumeReading[] = []
    // One volume at a time, to leave the disk to the pods.
    for (const { metadata, spec, status } of client.list(persistentVolumeClaims, namespace)) {
      const path = findClaimFolder(client, folder, `${namespace}/${metadata.name}`)
      const size = status?.capacity?.storage ?? spec.resources?.requests?.storage
      if (path === undefined || size === undefined) continue
      readings.push({
        claim: metadata.name!,
        usedBytes: await measureFolder(path),
        capacityBytes: unitValue(size),
      })
    }
    return readings
  },
})
