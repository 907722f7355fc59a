/** The protection controllers: delay the deletion of claims used by pods and of bound volumes. */
import { claimNames, type Kind, persistentVolumeClaims, persistentVolumes, pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type Controller, defineController, keyOf, splitKey, watching } from '../define-controller.ts'

/** Only assigned pods count: an unassigned pod cannot start with a terminating claim. */
const isUsed = (client: Client, namespace: string, name: string): boolean =>
  client
    .list(pods, namespace)
    .some((pod) => (pod.spec.nodeName ?? '') !== '' && claimNames(pod).includes(name))

interface Protection<T> {
  kind: Kind<T>
  finalizer: string
  isNeeded(object: Stored<T>): boolean
}

const protect = <T>(client: Client, key: string, protection: Protection<T>): void => {
  const { kind, finalizer, isNeeded } = protection
  const { namespace, name } = splitKey(key)
  const object = client.get(kind, namespace, name)
  if (object === undefined) return
  const { finalizers = [], deletionTimestamp } = object.metadata
  const isProtected = finalizers.includes(finalizer)
  const withFinalizers = (next: string[]): Stored<T> => ({
    ...object,
    metadata: { ...object.metadata, finalizers: next },
  })
  if (deletionTimestamp === undefined) {
    if (!isProtected) client.update(kind, withFinalizers([...finalizers, finalizer]))
  } else if (isProtected && !isNeeded(object)) {
    client.update(kind, withFinalizers(finalizers.filter((candidate) => candidate !== finalizer)))
  }
}

const claimProtection = defineController({
  name: 'pvc-protection',
  watches: [
    watching(persistentVolumeClaims, ({ type, object }) => (type === 'DELETED' ? [] : [keyOf(object)])),
    watching(pods, ({ type, object }) =>
      type === 'DELETED' ? claimNames(object).map((name) => `${object.metadata.namespace}/${name}`) : [],
    ),
  ],
  reconcile: (key, { client }) =>
    protect(client, key, {
      kind: persistentVolumeClaims,
      finalizer: 'kubernetes.io/pvc-protection',
      isNeeded: ({ metadata }) => isUsed(client, metadata.namespace ?? '', metadata.name),
    }),
})

const volumeProtection = defineController({
  name: 'pv-protection',
  watches: [
    watching(persistentVolumes, ({ type, object }) => (type === 'DELETED' ? [] : [object.metadata.name])),
  ],
  reconcile: (key, { client }) =>
    protect(client, key, {
      kind: persistentVolumes,
      finalizer: 'kubernetes.io/pv-protection',
      isNeeded: ({ status }) => status.phase === 'Bound',
    }),
})

export const volumeProtectionControllers: readonly Controller[] = [claimProtection, volumeProtection]
