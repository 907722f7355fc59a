/** The volumes of claims on a simulated cluster: their usage, and their content at the time of the baseline. */
import type { ClaimContents } from '#platform/engines/reset'
import { copyVolume, isSameVolume, restoreVolume, type VolumeCopy } from '#platform/engines/sim/hosts'
import type { SimDisks } from '#platform/engines/sim/runtime'
import { type Client, persistentVolumeClaims, persistentVolumes, unitValue } from '#platform/kube/simulated'
import type { VolumeStatistics } from '#spec'

/** Finds the path of the volume of a claim, `namespace/name`; undefined if it has no volume. */
const pathOf = (client: Client, key: string): string | undefined => {
  const [namespace = '', name = ''] = key.split('/')
  const volume = client.get(persistentVolumeClaims, namespace, name)?.spec.volumeName
  const spec = volume === undefined ? undefined : client.get(persistentVolumes, '', volume)?.spec
  return spec?.hostPath?.path ?? spec?.local?.path
}

/** Copies the content of every bound claim. */
export const copyClaimVolumes = (client: Client, disks: SimDisks): ClaimContents => {
  const copies = new Map<string, VolumeCopy>()
  for (const { metadata } of client.list(persistentVolumeClaims)) {
    const key = `${metadata.namespace}/${metadata.name}`
    const path = pathOf(client, key)
    if (path !== undefined) copies.set(key, copyVolume(disks.claim(path)))
  }
  return {
    async changed() {
      return [...copies].flatMap(([key, copy]) => {
        const path = pathOf(client, key)
        return path !== undefined && !isSameVolume(disks.claim(path), copy) ? [key] : []
      })
    },
    async restore(key) {
      const [copy, path] = [copies.get(key), pathOf(client, key)]
      if (copy !== undefined && path !== undefined) restoreVolume(disks.claim(path), copy)
    },
  }
}

export const createClaimStatistics = (client: Client, disks: SimDisks): VolumeStatistics => ({
  async read(namespace) {
    return client.list(persistentVolumeClaims, namespace).flatMap(({ metadata, spec, status }) => {
      const path = pathOf(client, `${namespace}/${metadata.name}`)
      const size = status?.capacity?.storage ?? spec.resources?.requests?.storage
      if (path === undefined || size === undefined) return []
      const capacityBytes = unitValue(size)
      return [{ claim: metadata.name!, usedBytes: disks.claimBytes(path), capacityBytes }]
    })
  },
})
