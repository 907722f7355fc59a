/** Watches the pods of a system and maps them to services. */
import { defined } from '#kit'
import { type ApiObject, isTerminating, type KubeObject, labelsOf, viewAs } from '#spec'
import { type WatchContext, watchWithRetry } from './watch-with-retry.ts'

export interface ContainerState {
  readonly name: string
  readonly restarts: number
  readonly ready: boolean
  readonly running: boolean
  /** The id of the current or last run of the container. */
  readonly containerId?: string
  /** `CrashLoopBackOff`, `ImagePullBackOff` ... */
  readonly waitingReason?: string
  readonly waitingMessage?: string
  /** Why the current run ended if it has terminated, otherwise why the previous run ended. */
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
  /** When the condition Ready last changed, or when the pod was created. */
  readonly readySince: number
  readonly deleting: boolean
  readonly annotations: Readonly<Record<string, string>>
  readonly containers: readonly ContainerState[]
  /** The reason why the pod is not scheduled; absent if it is. */
  readonly unscheduled?: string
}

export interface PodIndex {
  /** The same array until a pod changes. */
  all(): readonly PodState[]
  byName(namespace: string, name: string): PodState | undefined
  /** Returns the service of an object, derived from its name and the known pods. */
  serviceOf(kind: string, namespace: string, name: string): string | undefined
  close(): void
}

type ContainerStatusView = NonNullable<NonNullable<KubeObject<'Pod'>['status']>['containerStatuses']>[number]

const MAX_KNOWN_PODS = 10_000

const toTime = (text: unknown): number => (typeof text === 'string' ? Date.parse(text) : 0)

/** Treats an empty string as absent. */
const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const toContainer = ({
  name,
  restartCount = 0,
  ready = false,
  containerID,
  state,
  lastState,
}: ContainerStatusView): ContainerState => {
  const ended = state?.terminated ?? lastState?.terminated
  return {
    name,
    restarts: restartCount,
    ready,
    running: state?.running !== undefined,
    ...defined({
      containerId: nonEmpty(containerID),
      waitingReason: nonEmpty(state?.waiting?.reason),
      waitingMessage: nonEmpty(state?.waiting?.message),
      endedReason: nonEmpty(ended?.reason),
      endedAt: ended === undefined ? undefined : toTime(ended.finishedAt),
    }),
  }
}

export const toPodState = (object: ApiObject): PodState => {
  const { metadata = {}, spec, status = {} } = viewAs('Pod', object)
  const { name } = object.metadata
  const labels = labelsOf(object)
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled')
  return {
    object,
    uid: metadata.uid ?? '',
    name,
    namespace: metadata.namespace ?? '',
    service: labels.app ?? labels['app.kubernetes.io/name'] ?? name,
    node: spec?.nodeName ?? '',
    phase: status.phase ?? 'Pending',
    ready: ready?.status === 'True',
    readySince: toTime(ready?.lastTransitionTime ?? metadata.creationTimestamp),
    deleting: isTerminating(object),
    annotations: metadata.annotations ?? {},
    containers: [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
      toContainer,
    ),
    ...(scheduled?.status === 'False'
      ? defined({ unscheduled: nonEmpty(scheduled.message ?? 'not scheduled') })
      : {}),
  }
}

/** `cart-6d4f8b` belongs to `cart`. The longest matching service name wins. */
const nearestService = (services: Iterable<string>, name: string): string | undefined =>
  [...services]
    .filter((service) => name === service || name.startsWith(`${service}-`))
    .sort((a, b) => b.length - a.length)[0]

export const createPodIndex = async (
  context: WatchContext,
  namespace: string,
  { onChange, onRemoved }: { onChange(pod: PodState): void; onRemoved(pod: PodState): void },
): Promise<PodIndex> => {
  const pods = new Map<string, PodState>()
  let list: readonly PodState[] | undefined
  /** By pod name. Includes deleted pods: events about them may arrive later. */
  const services = new Map<string, string>()
  const close = await watchWithRetry(
    context,
    { apiVersion: 'v1', plural: 'pods', namespace },
    ({ type, object }) => {
      const pod = toPodState(object)
      list = undefined
      if (type === 'DELETED') {
        pods.delete(pod.uid)
        onRemoved(pod)
        return
      }
      pods.set(pod.uid, pod)
      if (services.size > MAX_KNOWN_PODS) services.clear()
      services.set(pod.name, pod.service)
      onChange(pod)
    },
  )
  return {
    all() {
      list ??= [...pods.values()]
      return list
    },
    byName: (space, name) => pods.values().find((pod) => pod.name === name && pod.namespace === space),
    serviceOf: (kind, space, name) =>
      space !== namespace
        ? undefined
        : ((kind === 'Pod' ? services.get(name) : undefined) ??
          nearestService(new Set(services.values()), name)),
    close,
  }
}
