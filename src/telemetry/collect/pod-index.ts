/** The pods of a system as they are now, and to which service each belongs. */
import type { ApiObject } from '../../spec/index.ts'
import { type WatchParts, watchAlways } from './watch-always.ts'

export interface ContainerState {
  readonly name: string
  readonly restarts: number
  readonly ready: boolean
  readonly running: boolean
  /** Of the container that runs or ran last. */
  readonly containerId?: string
  /** `CrashLoopBackOff`, `ImagePullBackOff` ... */
  readonly waitingReason?: string
  readonly waitingMessage?: string
  /** Of the run before, or of this one where it has ended. */
  readonly endedReason?: string
  readonly endedAt?: number
}

export interface PodState {
  readonly object: ApiObject
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly service: string
  readonly node: string
  readonly phase: string
  readonly ready: boolean
  /** When Ready became what it is now, or the pod was made. */
  readonly readySince: number
  readonly deleting: boolean
  readonly annotations: Readonly<Record<string, string>>
  readonly containers: readonly ContainerState[]
  /** Of why it was not scheduled. */
  readonly unscheduled?: string
}

export interface PodIndex {
  all(): IterableIterator<PodState>
  byName(namespace: string, name: string): PodState | undefined
  /** The service of an object by its name, where pods tell of one. */
  serviceOf(kind: string, namespace: string, name: string): string | undefined
  close(): void
}

interface Status {
  name: string
  restartCount?: number
  ready?: boolean
  containerID?: string
  state?: Partial<
    Record<'running' | 'waiting' | 'terminated', { reason?: string; message?: string; finishedAt?: string }>
  >
  lastState?: { terminated?: { reason?: string; finishedAt?: string } }
}

const toTime = (text: unknown): number => (typeof text === 'string' ? Date.parse(text) : 0)

const optional = <Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> =>
  value === undefined || value === '' ? {} : ({ [key]: value } as Partial<Record<Key, Value>>)

const toContainer = ({
  name,
  restartCount = 0,
  ready = false,
  containerID,
  state,
  lastState,
}: Status): ContainerState => {
  const ended = state?.terminated ?? lastState?.terminated
  return {
    name,
    restarts: restartCount,
    ready,
    running: state?.running !== undefined,
    ...optional('containerId', containerID),
    ...optional('waitingReason', state?.waiting?.reason),
    ...optional('waitingMessage', state?.waiting?.message),
    ...optional('endedReason', ended?.reason),
    ...(ended === undefined ? {} : { endedAt: toTime(ended.finishedAt) }),
  }
}

export const toPodState = (object: ApiObject): PodState => {
  const { metadata } = object as any
  const { spec = {}, status = {} } = object as any
  const conditions: { type: string; status: string; lastTransitionTime?: string; message?: string }[] =
    status.conditions ?? []
  const ready = conditions.find(({ type }) => type === 'Ready')
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled')
  return {
    object,
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace,
    service: metadata.labels?.app ?? metadata.labels?.['app.kubernetes.io/name'] ?? metadata.name,
    node: spec.nodeName ?? '',
    phase: status.phase ?? 'Pending',
    ready: ready?.status === 'True',
    readySince: toTime(ready?.lastTransitionTime ?? metadata.creationTimestamp),
    deleting: metadata.deletionTimestamp !== undefined,
    annotations: metadata.annotations ?? {},
    containers: [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
      toContainer,
    ),
    ...(scheduled?.status === 'False' ? optional('unscheduled', scheduled.message ?? 'not scheduled') : {}),
  }
}

/** `cart-6d4f8b` belongs to `cart`: the longest name that fits. */
const nearestService = (services: Iterable<string>, name: string): string | undefined =>
  [...services]
    .filter((service) => name === service || name.startsWith(`${service}-`))
    .sort((a, b) => b.length - a.length)[0]

export const createPodIndex = async (
  parts: WatchParts,
  namespace: string,
  { onChange, onGone }: { onChange(pod: PodState): void; onGone(pod: PodState): void },
): Promise<PodIndex> => {
  const pods = new Map<string, PodState>()
  /** Also of pods that have gone: events about them come later. */
  const services = new Map<string, string>()
  const close = await watchAlways(
    parts,
    { apiVersion: 'v1', plural: 'pods', namespace },
    ({ type, object }) => {
      const pod = toPodState(object)
      if (type === 'DELETED') {
        pods.delete(pod.uid)
        onGone(pod)
        return
      }
      pods.set(pod.uid, pod)
      if (services.size > 10_000) services.clear()
      services.set(pod.name, pod.service)
      onChange(pod)
    },
  )
  return {
    all: () => pods.values(),
    byName: (space, name) => pods.values().find((pod) => pod.name === name && pod.namespace === space),
    serviceOf: (kind, space, name) =>
      space !== namespace
        ? undefined
        : ((kind === 'Pod' ? services.get(name) : undefined) ??
          nearestService(new Set(services.values()), name)),
    close,
  }
}
