/** Injects the same chaos object into every selected pod, including pods and containers that start later. */
import {
  type ApiObject,
  containersOf,
  type FaultContext,
  FOLLOW_UP_LABEL,
  isNotFound,
  isTerminating,
  labelsOf,
  REMOVED_WITH_CAUSE,
  type ResourceRef,
  viewAs,
} from '#spec'
import { type ChaosKind, chaosRef, injectChaos, onPod, removeChaos } from '../pods/chaos.ts'
import { withUndo } from '../with-undo.ts'

export interface PodChaosSet {
  /** The prefix of the names of its objects. */
  readonly name: string
  readonly kind: ChaosKind
  /** The spec of each object, without the pod. */
  readonly spec: object
  /** Whether the pod can be affected. */
  isEligible(pod: ApiObject): boolean
  /** The service on the other side of a network fault: if one of its pods starts, all objects are recreated. */
  readonly peer?: string
  /** Whether the fault deletes the objects when its cause is gone, so that their deletion is not damage. */
  readonly isRemovedByFault?: boolean
}

/** Selects pods, such as those on a node. */
type PodSelection = { readonly fieldSelector?: string }

/** The service of a pod, by its label `app`. */
export const serviceOf = (pod: ApiObject): string | undefined => labelsOf(pod).app

export const nodeOf = (pod: ApiObject): string => viewAs('Pod', pod).spec?.nodeName ?? ''

/** The ID of the first container; undefined if it does not run. */
const runningContainer = (pod: ApiObject): string | undefined => {
  const { phase, containerStatuses = [] } = viewAs('Pod', pod).status ?? {}
  if (phase !== 'Running' || isTerminating(pod)) return undefined
  const [first] = containersOf(pod)
  return containerStatuses.find(({ name }) => name === first?.name)?.containerID
}

const podsRef = ({ system }: FaultContext): ResourceRef => ({
  apiVersion: 'v1',
  plural: 'pods',
  namespace: system.namespace,
})

/** Selected pods that run and can be affected. */
const affectedPods = async (
  context: FaultContext,
  selection: PodSelection,
  { isEligible }: PodChaosSet,
): Promise<readonly ApiObject[]> => {
  const { items } = await context.api.list(podsRef(context), selection)
  return items.filter((pod) => runningContainer(pod) !== undefined && isEligible(pod))
}

/** The existing chaos objects of the set. */
export const chaosObjectsOf = async (
  context: FaultContext,
  { kind, name }: PodChaosSet,
): Promise<readonly ApiObject[]> => {
  const { apiVersion, plural } = chaosRef(context.laboratory, kind, name)
  const { items } = await context.api.list({ apiVersion, plural, namespace: context.laboratory })
  return items.filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
}

const followUpOf = ({ isRemovedByFault }: PodChaosSet): string =>
  isRemovedByFault === true ? REMOVED_WITH_CAUSE : 'true'

/** The set is active as long as its first object, the anchor, exists with the same UID. */
const isActive = (context: FaultContext, { kind }: PodChaosSet, anchor: ApiObject): Promise<boolean> =>
  context.api.get(chaosRef(context.laboratory, kind, anchor.metadata.name)).then(
    (found) => !isTerminating(found) && found.metadata.uid === anchor.metadata.uid,
    (error) => {
      if (isNotFound(error)) return false
      throw error
    },
  )

/** Injects into new pods and restarted containers until the set is removed or the signal aborts. */
export const followPods = async (
  context: FaultContext,
  selection: PodSelection,
  chaos: PodChaosSet,
  initial: { readonly anchor: ApiObject; readonly containers: readonly string[] },
): Promise<void> => {
  const { api, laboratory, system, signal } = context
  const { apiVersion, plural } = chaosRef(laboratory, chaos.kind, chaos.name)
  const seen = new Set(initial.containers)
  let stopFollowing = (): void => {}
  const injectInto = async (pod: ApiObject): Promise<void> => {
    if (!(await isActive(context, chaos, initial.anchor))) return stopFollowing()
    const name = `${chaos.name}-${pod.metadata.name}-${seen.size}`
    const metadata = { name, namespace: laboratory, labels: { [FOLLOW_UP_LABEL]: followUpOf(chaos) } }
    const spec = { ...onPod(system.namespace, pod.metadata.name), ...chaos.spec }
    await api.create(
      { apiVersion, plural, namespace: laboratory },
      { apiVersion, kind: chaos.kind, metadata, spec },
    )
    if (!(await isActive(context, chaos, initial.anchor))) await removeChaos(context, chaos.kind, name)
  }
  const injectAll = async (): Promise<void> => {
    for (const pod of await affectedPods(context, selection, chaos)) await injectInto(pod)
  }
  /** Calls back once for each container that starts in a selected pod. */
  const follow = (pods: object, onStart: (pod: ApiObject) => Promise<void>): Promise<() => void> =>
    api.watch(
      podsRef(context),
      pods,
      ({ type, object }) => {
        const container = runningContainer(object)
        if (type === 'DELETED' || container === undefined || seen.has(container) || signal.aborted) return
        seen.add(container)
        // The pod or the whole cluster may be deleted in the meantime; then nothing is left to inject into.
        onStart(object).catch(() => {})
      },
      () => {},
    )
  const { peer } = chaos
  const unsubscribers = [
    await follow(selection, async (pod) => {
      if (peer !== undefined && serviceOf(pod) === peer) await injectAll()
      else if (chaos.isEligible(pod)) await injectInto(pod)
    }),
    ...(peer === undefined ? [] : [await follow({ labelSelector: `app=${peer}` }, injectAll)]),
  ]
  stopFollowing = () => {
    for (const stopWatch of unsubscribers) stopWatch()
  }
  signal.addEventListener('abort', () => stopFollowing(), { once: true })
  if (signal.aborted) stopFollowing()
}

/** Pods of the peer that already run. */
const peersOf = async (context: FaultContext, { peer }: PodChaosSet): Promise<readonly ApiObject[]> => {
  if (peer === undefined) return []
  const { items } = await context.api.list(podsRef(context), { labelSelector: `app=${peer}` })
  return items.filter((pod) => runningContainer(pod) !== undefined)
}

/** Injects into all selected pods and follows them. Resolves to the affected pods; there may be none. */
export const injectChaosSet = async (
  context: FaultContext,
  selection: PodSelection,
  chaos: PodChaosSet,
): Promise<readonly ApiObject[]> => {
  const pods = await affectedPods(context, selection, chaos)
  const labels = chaos.isRemovedByFault === true ? { [FOLLOW_UP_LABEL]: followUpOf(chaos) } : undefined
  if (pods.length === 0) return []
  await withUndo(
    async () => {
      const [anchor] = await Promise.all(
        pods.map(({ metadata: { name } }) =>
          injectChaos(context, {
            kind: chaos.kind,
            name: `${chaos.name}-${name}`,
            spec: { ...onPod(context.system.namespace, name), ...chaos.spec },
            labels,
          }),
        ),
      )
      const watchedPods = [...pods, ...(await peersOf(context, chaos))]
      const containers = watchedPods.map((pod) => runningContainer(pod)!)
      await followPods(context, selection, chaos, { anchor: anchor!, containers })
    },
    () => removeChaosSet(context, chaos),
  )
  return pods
}

/** Injects into all pods that run on the node or start there. */
export const injectOnNode = (
  context: FaultContext,
  node: string,
  chaos: PodChaosSet,
): Promise<readonly ApiObject[]> => injectChaosSet(context, { fieldSelector: `spec.nodeName=${node}` }, chaos)

export const removeChaosSet = async (context: FaultContext, chaos: PodChaosSet): Promise<void> => {
  const objects = await chaosObjectsOf(context, chaos)
  await Promise.all(objects.map(({ metadata }) => removeChaos(context, chaos.kind, metadata.name)))
}
