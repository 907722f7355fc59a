/** The controllers that keep claims in use by pods, and volumes bound to claims, from being deleted. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { type Kind, persistentVolumeClaims, persistentVolumes, pods } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { type Controller, defineController, keyOf, splitKey, watching } from './define-controller.ts'

const claimNames = ({ metadata, spec }: Stored<Pod>): string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName]
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`]
  })

/** Only pods with a node count: on none can a pod start with a claim that is about to go. */
const isUsed = (client: Client, namespace: string, name: string): boolean =>
  client
    .list(pods, namespace)
    .some((pod) => (pod.spec.nodeName ?? '') !== '' && claimNames(pod).includes(name))

const protect = <T>(
  client: Client,
  kind: Kind<T>,
  finalizer: string,
  key: string,
  isNeeded: (object: Stored<T>) => boolean,
): void => {
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
    client.update(kind, withFinalizers(finalizers.filter((one) => one !== finalizer)))
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
    protect(client, persistentVolumeClaims, 'kubernetes.io/pvc-protection', key, ({ metadata }) =>
      isUsed(client, metadata.namespace ?? '', metadata.name),
    ),
})

const volumeProtection = defineController({
  name: 'pv-protection',
  watches: [
    watching(persistentVolumes, ({ type, object }) => (type === 'DELETED' ? [] : [object.metadata.name])),
  ],
  reconcile: (key, { client }) =>
    protect(
      client,
      persistentVolumes,
      'kubernetes.io/pv-protection',
      key,
      ({ status }) => status.phase === 'Bound',
    ),
})

export const volumeProtectionControllers: readonly Controller[] = [claimProtection, volumeProtection]
