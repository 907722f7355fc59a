/** Watches all objects that a record keeps, in the system's namespace, in the laboratory's, and without one. */
import { createChangeFilter, type RecordedChange, WATCHED_KINDS } from '../oracles/index.ts'
import type { ApiObject, KubeApi, ResourceRef } from '../spec/index.ts'

export interface ObjectWatch {
  /** All that is there now, as a record keeps it. */
  list(): readonly ApiObject[]
  close(): void
}

export interface ObjectWatchOptions {
  readonly api: KubeApi
  readonly namespace: string
  readonly laboratory: string
  onChange(change: RecordedChange): void
  /** The server has ended a watch. */
  onLost(error: Error): void
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 404

export const watchObjects = async (options: ObjectWatchOptions): Promise<ObjectWatch> => {
  const { api, namespace, laboratory } = options
  const filter = createChangeFilter()
  const ends: (() => void)[] = []
  let isClosed = false
  const refs: ResourceRef[] = [
    ...WATCHED_KINDS.system.map((kind) => ({ ...kind, namespace })),
    ...WATCHED_KINDS.laboratory.map((kind) => ({ ...kind, namespace: laboratory })),
    ...WATCHED_KINDS.cluster,
  ]
  const lose = (ref: ResourceRef, error?: Error): void => {
    if (!isClosed) options.onLost(error ?? new Error(`the watch of ${ref.plural} has ended`))
  }
  const watchOne = async (ref: ResourceRef): Promise<void> => {
    const { items, resourceVersion } = await api.list(ref)
    for (const object of items) filter.pass({ type: 'ADDED', object })
    const end = await api.watch(
      ref,
      { resourceVersion },
      (event) => {
        const change = filter.pass(event)
        if (change !== undefined) options.onChange(change)
      },
      (error) => lose(ref, error),
    )
    ends.push(end)
  }
  const watchSome = (some: readonly ResourceRef[]): Promise<unknown> =>
    Promise.all(
      some.map((ref) =>
        watchOne(ref).catch((error) => {
          // A cluster need not have every kind.
          if (!isMissing(error)) throw error
        }),
      ),
    )
  // Whose the Endpoints are is known from the Services.
  const isOfService = ({ plural }: ResourceRef): boolean => plural === 'endpoints'
  await watchSome(refs.filter((ref) => !isOfService(ref)))
  await watchSome(refs.filter(isOfService))
  return {
    list: filter.list,
    close() {
      isClosed = true
      for (const end of ends) end()
    },
  }
}
