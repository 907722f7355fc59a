/** The latest and the previous run of each container of a node. */

/** One run of a container, from its start to its exit. */
export interface ContainerRun {
  /** Without `containerd://`. */
  readonly id: string
  readonly podUid: string
  readonly container: { readonly name: string }
}

interface Runs<T> {
  latest: T
  previous: T | undefined
}

/** The runs of one node, without those of deleted pods. */
export interface RunRegister<T extends ContainerRun> {
  latest(podUid: string, name: string): T | undefined
  /** The run before the latest. */
  previous(podUid: string, name: string): T | undefined
  /** Accepts ids with and without `containerd://`. */
  byId(id: string): T | undefined
  /** The latest run of every container. */
  containersOf(podUid: string): readonly T[]
  /** All runs that are kept. */
  all(): readonly T[]
  /** The uids of all pods. */
  pods(): readonly string[]
  /** Registers a run; returns the run that is dropped for it, if any. */
  add(run: T): T | undefined
  has(podUid: string): boolean
  forget(podUid: string): void
}

/** Strips the prefix `containerd://`. */
const plainId = (id: string): string => id.slice(id.lastIndexOf('/') + 1)

export const createRunRegister = <T extends ContainerRun>(): RunRegister<T> => {
  const pods = new Map<string, Map<string, Runs<T>>>()
  const ids = new Map<string, T>()
  const runsOf = (podUid: string, name: string): Runs<T> | undefined => pods.get(podUid)?.get(name)
  return {
    latest: (podUid, name) => runsOf(podUid, name)?.latest,
    previous: (podUid, name) => runsOf(podUid, name)?.previous,
    byId: (id) => ids.get(plainId(id)),
    containersOf: (podUid) => [...(pods.get(podUid)?.values() ?? [])].map(({ latest }) => latest),
    all: () => [...ids.values()],
    pods: () => [...pods.keys()],
    add(latest) {
      const { podUid, id, container } = latest
      const runs = pods.get(podUid) ?? new Map<string, Runs<T>>()
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
