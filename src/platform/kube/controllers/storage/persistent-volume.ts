/** The persistent volume controller: binds claims to volumes, provisions volumes and reclaims them. */
import { posix } from 'node:path'
import { persistentVolumeClaims, persistentVolumes, storageClasses } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'
import { type Controller, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { syncClaim } from './persistent-volume/sync-claim.ts'
import { syncVolume } from './persistent-volume/sync-volume.ts'

const RESYNC_MS = 15_000

export interface PersistentVolumeOptions {
  /** The directory on the nodes for volumes of the built-in provisioner `remedium.io/directory`. */
  directory?: string
  /** Deletes the directory of such a volume, if it exists. The volume is no longer in use. */
  removeDirectory?(path: string): void
}

const pendingClaims = (client: Client): string[] =>
  client
    .list(persistentVolumeClaims)
    .filter(({ status }) => status.phase === 'Pending')
    .map(keyOf)

/** Keys of claims have a namespace; keys of volumes have none. */
export const createPersistentVolumeController = ({
  directory = '/var/lib/remedium/volumes',
  removeDirectory = () => {},
}: PersistentVolumeOptions = {}): Controller => {
  /** Deletes only paths inside `directory`: any user can put the provisioner annotation on a volume elsewhere. */
  const removeProvisioned = (path: string): void => {
    const relativePath = posix.relative(directory, path)
    if (relativePath !== '' && !relativePath.startsWith('..')) removeDirectory(path)
  }
  return defineController({
    name: 'persistentvolume',
    user: 'system:serviceaccount:kube-system:persistent-volume-binder',
    watches: [
      watching(persistentVolumeClaims, ({ type, object }) => {
        const volume = object.spec.volumeName ?? ''
        const claims = type === 'DELETED' ? [] : [keyOf(object)]
        return volume === '' ? claims : [...claims, volume]
      }),
      watching(persistentVolumes, ({ type, object, old }, { client }) => {
        const { claimRef } = object.spec
        const volumes = type === 'DELETED' ? [] : [object.metadata.name]
        if (claimRef !== undefined) return [...volumes, `${claimRef.namespace}/${claimRef.name}`]
        const isPhaseChange = type !== 'DELETED' && old?.status.phase !== object.status.phase
        return isPhaseChange ? [...volumes, ...pendingClaims(client)] : volumes
      }),
      watching(storageClasses, ({ type }, { client }) => (type === 'DELETED' ? [] : pendingClaims(client))),
    ],
    reconcile(key, context) {
      const { client } = context
      const { namespace, name } = splitKey(key)
      if (namespace === '') {
        const volume = client.get(persistentVolumes, '', name)
        if (volume !== undefined) syncVolume(context, volume, removeProvisioned)
        return
      }
      const claim = client.get(persistentVolumeClaims, namespace, name)
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
      syncClaim(context, claim, directory)
      const updated = client.get(persistentVolumeClaims, namespace, name)
      if (updated?.status.phase === 'Pending') context.requeue(key, RESYNC_MS)
    },
  })
}
