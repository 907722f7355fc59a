/** Resolves the volumes of a pod, retries until they are available, and keeps their content up to date. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { FileVolume, PodVolumes, VolumeFile } from '#platform/kube/ports'
import { locationOf, type PodWork } from '../pods/pod-work.ts'
import { MountError, resolveFiles, resolveVolumes } from './pod-volumes.ts'

const MIN_RETRY_MS = 500
const MAX_RETRY_MS = 122_000

export interface VolumeMount {
  /** The volumes; undefined until they are available. */
  volumes(): PodVolumes | undefined
  /** Marks the content as stale and updates it, or defers that to `catchUp`. */
  refresh(): void
  /** Performs a deferred refresh once the pod has a sandbox and no refresh is in progress. */
  catchUp(): void
  /** Refreshes the volumes if they expose pod metadata that has changed. */
  podChanged(before: Stored<Pod>): void
  close(): void
}

/** Whether the path names pod metadata that can change while the pod runs. */
const isMutableField = (path: string | undefined): boolean =>
  /^metadata\.(labels|annotations)/.test(path ?? '')

const exposesPodMetadata = ({ spec }: Stored<Pod>): boolean =>
  (spec.volumes ?? []).some(({ downwardAPI, projected }) =>
    [downwardAPI, ...(projected?.sources ?? []).map((source) => source.downwardAPI)].some((source) =>
      source?.items?.some(({ fieldRef }) => isMutableField(fieldRef?.fieldPath)),
    ),
  )

const isSameFile = (a: VolumeFile | undefined, b: VolumeFile): boolean =>
  a !== undefined && a.mode === b.mode && Buffer.compare(a.content(), b.content()) === 0

const isSameVolume = (a: FileVolume | undefined, b: FileVolume): boolean => {
  if (a?.files.length !== b.files.length) return false
  const byPath = new Map(a.files.map((file) => [file.path, file]))
  return b.files.every((file) => isSameFile(byPath.get(file.path), file))
}

const isMetadataChanged = ({ metadata }: PodWork['pod'], before: PodWork['pod']['metadata']): boolean =>
  !deepEqual(metadata.labels, before.labels) || !deepEqual(metadata.annotations, before.annotations)

export const createVolumeMount = (work: PodWork): VolumeMount => {
  const { context } = work
  const { client, events, runtime, volumeSources } = context
  let volumes: PodVolumes | undefined
  let retryMs = MIN_RETRY_MS
  let isStale = false
  let isBusy = false

  /** The new content of a volume; empty if it is unchanged or cannot be resolved. */
  const resolveChange = (volume: FileVolume): FileVolume[] => {
    try {
      const current = resolveFiles(context, work.pod, locationOf(work), volume.name)
      return isSameVolume(volume, current) ? [] : [current]
    } catch (error) {
      if (!(error instanceof MountError)) throw error
      events.record(work.pod, 'Warning', 'FailedMount', error.message)
      return []
    }
  }

  const publish = (changed: readonly FileVolume[]): void => {
    isBusy = true
    runtime.refreshVolumes(work.sandbox!, changed, (outcome) =>
      work.attempt(() => {
        isBusy = false
        if (!outcome.ok) {
          isStale = true
          throw outcome.error
        }
        const changedByName = new Map(changed.map((volume) => [volume.name, volume]))
        const files = volumes!.files.map((volume) => changedByName.get(volume.name) ?? volume)
        volumes = { ...volumes!, files }
        catchUp()
      }),
    )
  }

  const catchUp = (): void => {
    if (!isStale || isBusy || volumes === undefined || work.sandbox === undefined) return
    if (work.ended || work.stopping !== undefined || !context.isAlive()) return
    isStale = false
    const changed = volumes.files.flatMap(resolveChange)
    if (changed.length > 0) publish(changed)
  }

  const refresh = (): void => {
    // Volumes that are not mounted yet are resolved when they are mounted.
    if (volumes === undefined) return
    isStale = true
    work.attempt(catchUp)
  }

  const unfollow = work.ended ? () => {} : volumeSources.follow(work.pod, refresh)

  return {
    volumes() {
      if (volumes !== undefined) return volumes
      try {
        volumes = resolveVolumes({ client, issueToken: context.issueToken }, work.pod, locationOf(work))
      } catch (error) {
        if (!(error instanceof MountError)) throw error
        // Records one event for each attempt, not for each sync in between.
        if (!work.resyncAfter(retryMs)) return undefined
        events.record(work.pod, 'Warning', 'FailedMount', error.message)
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
      }
      return volumes
    },
    refresh,
    catchUp,
    podChanged(before) {
      const { labels, annotations } = work.pod.metadata
      if (labels === before.metadata.labels && annotations === before.metadata.annotations) return
      if (!exposesPodMetadata(work.pod)) return
      if (isMetadataChanged(work.pod, before.metadata)) volumeSources.touch(refresh)
    },
    close: unfollow,
  }
}
