/** How full the volumes of claims are, by the files that lie in them. */
import { type Client, measureFolder, persistentVolumeClaims, unitValue } from '../../kube/index.ts'
import type { VolumeReading, VolumeStatistics } from '../../spec/index.ts'
import { placeOfClaim } from './reset/index.ts'

export const createVolumeStatistics = (client: Client, folder: string): VolumeStatistics => ({
  async read(namespace) {
    const readings: VolumeReading[] = []
    // One after another: nobody is in a hurry, and the disk is the pods'.
    for (const { metadata, spec, status } of client.list(persistentVolumeClaims, namespace)) {
      const place = placeOfClaim(client, folder, `${namespace}/${metadata.name}`)
      const size = status?.capacity?.storage ?? spec.resources?.requests?.storage
      if (place === undefined || size === undefined) continue
      readings.push({
        claim: metadata.name!,
        usedBytes: await measureFolder(place),
        capacityBytes: unitValue(size),
      })
    }
    return readings
  },
})
