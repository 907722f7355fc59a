/** Has the volumes of a pod ready, tries again while they are not, and keeps their content up to date after. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import type { Stored } from '../meta/index.ts'
import type { FileVolume, PodVolumes, VolumeFile } from '../ports/index.ts'
import { MountError, resolveFiles, resolveVolumes } from './pod-volumes.ts'
import { type PodWork, placeOf } from './pod-work.ts'

const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 122_000

export interface VolumeMount {
  /** The volumes, or nothing as long as they are not there. */
  volumes(): PodVolumes | undefined
  /** Something that they show may have changed: looks when the pod has a sandbox and nothing is under way. */
  refresh(): void
  /** Looks if `refresh` could not. */
  catchUp(): void
  /** The pod is another now, which volumes may show. */
  podChanged(before: Stored<Pod>): void
  close(): void
}

/** What of a running pod can change and be shown: its labels and annotations. */
const isOfPod = (path: string | undefined): boolean => /^metadata\.(labels|annotations)/.test(path ?? '')

const showsItself = ({ spec }: Stored<Pod>): boolean =>
  (spec.volumes ?? []).some(({ downwardAPI, projected }) =>
    [downwardAPI, ...(projected?.sources ?? []).map((source) => source.downwardAPI)].some((source) =>
      source?.items?.some(({ fieldRef }) => isOfPod(fieldRef?.fieldPath)),
    ),
  )

const isSameFile = (a: VolumeFile | undefined, b: VolumeFile): boolean =>
  a !== undefined && a.mode === b.mode && Buffer.compare(a.content(), b.content()) === 0

const isSame = (a: FileVolume | undefined, b: FileVolume): boolean => {
  if (a?.files.length !== b.files.length) return false
  const byPath = new Map(a.files.map((file) => [file.path, file]))
  return b.files.every((file) => isSameFile(byPath.get(file.path), file))
}

export const createVolumeMount = (work: PodWork): VolumeMount => {
  const { context } = work
  const { client, events, runtime, volumeSources } = context
  let volumes: PodVolumes | undefined
  let retryMs = FIRST_RETRY_MS
  let isStale = false
  let isBusy = false

  /** What a volume shows now; nothing where it cannot be set up, and stays what it was. */
  const lookAt = (volume: FileVolume): FileVolume[] => {
    try {
      const now = resolveFiles(context, work.pod, placeOf(work), volume.name)
      return isSame(volume, now) ? [] : [now]
    } catch (error) {
      if (!(error instanceof MountError)) throw error
      events.record(work.pod, 'Warning', 'FailedMount', error.message)
      return []
    }
  }

  const show = (changed: readonly FileVolume[]): void => {
    isBusy = true
    runtime.refreshVolumes(work.sandbox!, changed, (outcome) =>
      work.attempt(() => {
        isBusy = false
        if (!outcome.ok) {
          isStale = true
          throw outcome.error
        }
        const names = new Map(changed.map((volume) => [volume.name, volume]))
        volumes = { ...volumes!, files: volumes!.files.map((volume) => names.get(volume.name) ?? volume) }
        catchUp()
      }),
    )
  }

  const catchUp = (): void => {
    if (!isStale || isBusy || volumes === undefined || work.sandbox === undefined) return
    if (work.ended || work.stopping !== undefined || !context.isAlive()) return
    isStale = false
    const changed = volumes.files.flatMap(lookAt)
    if (changed.length > 0) show(changed)
  }

  const refresh = (): void => {
    // What is not mounted yet will be looked up when it is.
    if (volumes === undefined) return
    isStale = true
    work.attempt(catchUp)
  }

  const unfollow = work.ended ? () => {} : volumeSources.follow(work.pod, refresh)

  return {
    volumes() {
      if (volumes !== undefined) return volumes
      try {
        volumes = resolveVolumes({ client, issueToken: context.issueToken }, work.pod, placeOf(work))
      } catch (error) {
        if (!(error instanceof MountError)) throw error
        // One event for each attempt, not for each look at the pod in between.
        if (!work.resyncAfter(retryMs)) return undefined
        events.record(work.pod, 'Warning', 'FailedMount', error.message)
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
      return volumes
    },
    refresh,
    catchUp,
    podChanged(before) {
      const { labels, annotations } = work.pod.metadata
      if (labels === before.metadata.labels && annotations === before.metadata.annotations) return
      if (!showsItself(work.pod)) return
      const isOther =
        !deepEqual(labels, before.metadata.labels) || !deepEqual(annotations, before.metadata.annotations)
      if (isOther) volumeSources.touch(refresh)
    },
    close: unfollow,
  }
}
