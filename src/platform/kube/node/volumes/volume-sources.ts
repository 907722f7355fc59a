/** Watches the config maps and secrets behind mounted volumes and notifies the pods of changes. */
import type { Pod, VolumeProjection } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '#kit'
import { configMaps, secrets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'

/** Changes within this time are reported as one. */
const BATCH_MS = 1000

export interface VolumeSources {
  /** Calls `onChange` after an object behind the pod's volumes was created, changed or deleted. */
  follow(pod: Stored<Pod>, onChange: () => void): () => void
  /** Calls `onChange` as if one of its objects had changed. */
  touch(onChange: () => void): void
  stop(): void
}

const projectedKeys = ({ configMap, secret }: VolumeProjection): string[] => [
  ...(configMap === undefined ? [] : [`ConfigMap/${configMap.name}`]),
  ...(secret === undefined ? [] : [`Secret/${secret.name}`]),
]

/** Returns the objects behind the pod's volumes, without their namespace, such as `ConfigMap/settings`. */
const sourcesOf = ({ spec }: Stored<Pod>): string[] =>
  (spec.volumes ?? []).flatMap(({ configMap, secret, projected }) => [
    ...(configMap === undefined ? [] : [`ConfigMap/${configMap.name}`]),
    ...(secret === undefined ? [] : [`Secret/${secret.secretName}`]),
    ...(projected?.sources ?? []).flatMap(projectedKeys),
  ])

export const createVolumeSources = (client: Client, clock: Clock): VolumeSources => {
  const followers = new Map<string, Set<() => void>>()
  const touched = new Set<() => void>()
  let timer: Timer | undefined

  const notify = (): void => {
    timer = undefined
    const batch = [...touched]
    touched.clear()
    for (const onChange of batch) onChange()
  }

  const touch = (onChange: () => void): void => {
    touched.add(onChange)
    timer ??= clock.after(BATCH_MS, notify)
  }

  const onEvent =
    (kind: string) =>
    ({ object: { metadata } }: WatchEvent): void => {
      const affectedFollowers = followers.get(`${metadata.namespace}/${kind}/${metadata.name}`)
      if (affectedFollowers !== undefined) for (const onChange of affectedFollowers) touch(onChange)
    }

  const unsubscribes = [
    client.watch(configMaps, onEvent('ConfigMap')),
    client.watch(secrets, onEvent('Secret')),
  ]

  return {
    touch,
    follow(pod, onChange) {
      const keys = sourcesOf(pod).map((source) => `${pod.metadata.namespace}/${source}`)
      for (const key of keys) followers.set(key, (followers.get(key) ?? new Set()).add(onChange))
      return () => {
        touched.delete(onChange)
        for (const key of keys) {
          const remaining = followers.get(key)
          remaining?.delete(onChange)
          if (remaining?.size === 0) followers.delete(key)
        }
      }
    },
    stop() {
      timer?.cancel()
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}
