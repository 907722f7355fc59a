/** The volume controller: binds claims to volumes, makes volumes for claims, and reclaims them. */
import { posix } from 'node:path'
import { persistentVolumeClaims, persistentVolumes, storageClasses } from '../kinds/index.ts'
import type { Client } from '../ports/index.ts'
import { type Controller, defineController, keyOf, splitKey, watching } from './define-controller.ts'
import { syncClaim } from './persistent-volume/sync-claim.ts'
import { syncVolume } from './persistent-volume/sync-volume.ts'

const RESYNC_MS = 15_000

export interface PersistentVolumeOptions {
  /** Where, on the nodes, volumes of the built-in provisioner `remedium.io/directory` lie. */
  directory?: string
  /** Takes away what lies at the path of such a volume, if anything: nobody uses it any more. */
  removeDirectory?(path: string): void
}

const pendingClaims = (client: Client): string[] =>
  client
    .list(persistentVolumeClaims)
    .filter(({ status }) => status.phase === 'Pending')
    .map(keyOf)

/** Keys of claims have a namespace, those of volumes have none. */
export const createPersistentVolumeController = ({
  directory = '/var/lib/remedium/volumes',
  removeDirectory = () => {},
}: PersistentVolumeOptions = {}): Controller => {
  /** Anybody can write the annotation of the provisioner on a volume that leads elsewhere. */
  const removeOurs = (path: string): void => {
    const inside = posix.relative(directory, path)
    if (inside !== '' && !inside.startsWith('..')) removeDirectory(path)
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
        const isNews = type !== 'DELETED' && old?.status.phase !== object.status.phase
        return isNews ? [...volumes, ...pendingClaims(client)] : volumes
      }),
      watching(storageClasses, ({ type }, { client }) => (type === 'DELETED' ? [] : pendingClaims(client))),
    ],
    reconcile(key, context) {
      const { client } = context
      const { namespace, name } = splitKey(key)
      if (namespace === '') {
        const volume = client.get(persistentVolumes, '', name)
        if (volume !== undefined) syncVolume(context, volume, removeOurs)
        return
      }
      const claim = client.get(persistentVolumeClaims, namespace, name)
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
      syncClaim(context, claim, directory)
      const after = client.get(persistentVolumeClaims, namespace, name)
      if (after?.status.phase === 'Pending') context.requeue(key, RESYNC_MS)
    },
  })
}
