/** The config maps and secrets that volumes of running pods show: tells the pods when one has changed. */
import type { Pod, VolumeProjection } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Timer } from '../../kit/index.ts'
import { configMaps, secrets } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client, WatchEvent } from '../ports/index.ts'

/** Changes that come together are told together, and a pod's many volumes are looked at once. */
const GATHER_MS = 1000

export interface VolumeSources {
  /** Calls back some time after an object that the pod's volumes show was made, changed or deleted. */
  follow(pod: Stored<Pod>, onChange: () => void): () => void
  /** Has `onChange` called as if one of its objects had changed. */
  touch(onChange: () => void): void
  stop(): void
}

const projectedKeys = ({ configMap, secret }: VolumeProjection): string[] => [
  ...(configMap === undefined ? [] : [`ConfigMap/${configMap.name}`]),
  ...(secret === undefined ? [] : [`Secret/${secret.name}`]),
]

/** `ConfigMap/settings`, of the pod's namespace. */
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

  const tell = (): void => {
    timer = undefined
    const batch = [...touched]
    touched.clear()
    for (const onChange of batch) onChange()
  }

  const touch = (onChange: () => void): void => {
    touched.add(onChange)
    timer ??= clock.after(GATHER_MS, tell)
  }

  const onEvent =
    (kind: string) =>
    ({ object: { metadata } }: WatchEvent): void => {
      const interested = followers.get(`${metadata.namespace}/${kind}/${metadata.name}`)
      if (interested !== undefined) for (const onChange of interested) touch(onChange)
    }

  const stops = [client.watch(configMaps, onEvent('ConfigMap')), client.watch(secrets, onEvent('Secret'))]

  return {
    touch,
    follow(pod, onChange) {
      const keys = sourcesOf(pod).map((source) => `${pod.metadata.namespace}/${source}`)
      for (const key of keys) followers.set(key, (followers.get(key) ?? new Set()).add(onChange))
      return () => {
        touched.delete(onChange)
        for (const key of keys) {
          const rest = followers.get(key)
          rest?.delete(onChange)
          if (rest?.size === 0) followers.delete(key)
        }
      }
    },
    stop() {
      timer?.cancel()
      for (const stop of stops) stop()
    },
  }
}
