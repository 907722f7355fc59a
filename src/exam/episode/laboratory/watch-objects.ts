/** Watches every object that a record keeps: in the system's namespace, in the laboratory's, and cluster-wide. */
import { createChangeFilter, type RecordedChange, WATCHED_KINDS } from '#exam/oracles'
import { type ApiObject, isNotFound, type KubeApi, type ResourceRef } from '#spec'

export interface ObjectWatch {
  /** The current objects, in the form that a record keeps. */
  list(): readonly ApiObject[]
  close(): void
}

export interface ObjectWatchOptions {
  readonly api: KubeApi
  readonly namespace: string
  readonly laboratory: string
  onChange(change: RecordedChange): void
  /** The server ended a watch. */
  onLost(error: Error): void
}

export const watchObjects = async (options: ObjectWatchOptions): Promise<ObjectWatch> => {
  const { api, namespace, laboratory } = options
  const filter = createChangeFilter()
  const unsubscribers: (() => void)[] = []
  let isClosed = false
  const refs: ResourceRef[] = [
    ...WATCHED_KINDS.system.map((kind) => ({ ...kind, namespace })),
    ...WATCHED_KINDS.laboratory.map((kind) => ({ ...kind, namespace: laboratory })),
    ...WATCHED_KINDS.cluster,
  ]
  const onEnd = (ref: ResourceRef, error?: Error): void => {
    if (!isClosed) options.onLost(error ?? new Error(`the watch of ${ref.plural} has ended`))
  }
  const watchKind = async (ref: ResourceRef): Promise<void> => {
    const { items, resourceVersion } = await api.list(ref)
    for (const object of items) filter.pass({ type: 'ADDED', object })
    const unsubscribe = await api.watch(
      ref,
      { resourceVersion },
      (event) => {
        const change = filter.pass(event)
        if (change !== undefined) options.onChange(change)
      },
      (error) => onEnd(ref, error),
    )
    unsubscribers.push(unsubscribe)
  }
  const watchAll = (selected: readonly ResourceRef[]): Promise<unknown> =>
    Promise.all(
      selected.map((ref) =>
        watchKind(ref).catch((error) => {
          // Not every cluster serves every kind.
          if (!isNotFound(error)) throw error
        }),
      ),
    )
  // Services come first: they determine which Endpoints belong to the system.
  const isEndpoints = ({ plural }: ResourceRef): boolean => plural === 'endpoints'
  await watchAll(refs.filter((ref) => !isEndpoints(ref)))
  await watchAll(refs.filter(isEndpoints))
  return {
    list: filter.list,
    close() {
      isClosed = true
      for (const unsubscribe of unsubscribers) unsubscribe()
    },
  }
}
