/** The latest and the previous run of each container of a node. */
import type { ContainerRegister } from './container-instance.ts'
import type { OciContainer } from './oci-container.ts'

interface Runs {
  latest: OciContainer
  previous: OciContainer | undefined
}

export interface OciRegister extends ContainerRegister {
  byId(id: string): OciContainer | undefined
  containersOf(podUid: string): readonly OciContainer[]
  /** The uids of all pods. */
  pods(): readonly string[]
  /** Registers a run; returns the run that is dropped for it, if any. */
  add(container: OciContainer): OciContainer | undefined
  has(podUid: string): boolean
  forget(podUid: string): void
}

/** Strips the prefix `containerd://`. */
const plainId = (id: string): string => id.slice(id.lastIndexOf('/') + 1)

export const createContainerRegister = (): OciRegister => {
  const pods = new Map<string, Map<string, Runs>>()
  const ids = new Map<string, OciContainer>()
  const runsOf = (podUid: string, name: string): Runs | undefined => pods.get(podUid)?.get(name)
  const latestOf = (podUid: string): OciContainer[] =>
    [...(pods.get(podUid)?.values() ?? [])].map(({ latest }) => latest)
  return {
    running(podUid, name) {
      const latest = runsOf(podUid, name)?.latest
      return latest?.pid === undefined ? undefined : latest
    },
    latest: (podUid, name) => runsOf(podUid, name)?.latest,
    previous: (podUid, name) => runsOf(podUid, name)?.previous,
    byId: (id) => ids.get(plainId(id)),
    containersOf: latestOf,
    allRunning: () => [...ids.values()].filter(({ pid }) => pid !== undefined),
    pods: () => [...pods.keys()],
    add(latest) {
      const { podUid, id, container } = latest
      const runs = pods.get(podUid) ?? new Map<string, Runs>()
      const existing = runs.get(container.name)
      pods.set(podUid, runs.set(container.name, { latest, previous: existing?.latest }))
      ids.set(id, latest)
      if (existing?.previous !== undefined) ids.delete(existing.previous.id)
      return existing?.previous
    },
    has: (podUid) => pods.has(podUid),
    forget(podUid) {
      for (const { latest, previous } of pods.get(podUid)?.values() ?? []) {
        ids.delete(latest.id)
        if (previous !== undefined) ids.delete(previous.id)
      }
      pods.delete(podUid)
    },
  }
}
