/** Puts the same trouble into every pod of the system at one place, as on a node, also into those that come there later. */
import {
  type ApiObject,
  COMES_AND_GOES,
  type FaultContext,
  FOLLOW_UP_LABEL,
  type ResourceRef,
} from '../spec/index.ts'
import { type ChaosKind, chaosRef, injectChaos, onPod, removeChaos } from './chaos.ts'
import { isMissing } from './ignore-missing.ts'
import { orElse } from './or-else.ts'

export interface NodeSickness {
  /** The names of all its objects begin with it. */
  readonly name: string
  readonly kind: ChaosKind
  /** What the object of each pod says besides the pod. */
  readonly spec: object
  /** Pods to which it cannot be done are left out. */
  isFit(pod: ApiObject): boolean
  /** Whose pods are the other side: when one of them comes, it is put between it and everybody on the node anew. */
  readonly peer?: string
  /** Whether the fault takes it away by itself when its cause is gone, and nobody else is to blame for that. */
  readonly comesAndGoes?: boolean
}

/** On one node, or anywhere. */
type Place = { readonly fieldSelector?: string }

interface Status {
  readonly phase?: string
  readonly containerStatuses?: readonly { readonly name: string; readonly containerID?: string }[]
}

type Spec = { readonly nodeName?: string; readonly containers: readonly { readonly name: string }[] }

/** By the label that all pods of a system have; nothing where one has lost it. */
export const serviceOf = ({ metadata }: Pick<ApiObject, 'metadata'>): string | undefined =>
  (metadata.labels as Readonly<Record<string, string>> | undefined)?.app

export const nodeOf = ({ spec }: ApiObject): string => (spec as Spec).nodeName ?? ''

/** The container that is hit, or nothing where it does not run yet. */
const runningContainer = ({ metadata, spec, status }: ApiObject): string | undefined => {
  const { phase, containerStatuses = [] } = (status ?? {}) as Status
  if (phase !== 'Running' || metadata.deletionTimestamp !== undefined) return undefined
  const [first] = (spec as Spec).containers
  return containerStatuses.find(({ name }) => name === first?.name)?.containerID
}

const podsRef = ({ system }: FaultContext): ResourceRef => ({
  apiVersion: 'v1',
  plural: 'pods',
  namespace: system.namespace,
})

/** Pods there that can be hit. */
const hitPods = async (
  context: FaultContext,
  place: Place,
  { isFit }: NodeSickness,
): Promise<readonly ApiObject[]> => {
  const { items } = await context.api.list(podsRef(context), place)
  return items.filter((pod) => runningContainer(pod) !== undefined && isFit(pod))
}

/** Those of the laboratory by which it is there. */
export const objectsOf = async (
  context: FaultContext,
  { kind, name }: NodeSickness,
): Promise<readonly ApiObject[]> => {
  const { apiVersion, plural } = chaosRef(context.laboratory, kind, name)
  const { items } = await context.api.list({ apiVersion, plural, namespace: context.laboratory })
  return items.filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
}

const followUpOf = ({ comesAndGoes }: NodeSickness): string =>
  comesAndGoes === true ? COMES_AND_GOES : 'true'

/** As long as there is this one of the first objects, and no later one of its name, the place is meant to be sick. */
const isMeant = (context: FaultContext, { kind }: NodeSickness, anchor: ApiObject): Promise<boolean> =>
  context.api.get(chaosRef(context.laboratory, kind, anchor.metadata.name)).then(
    ({ metadata }) => metadata.deletionTimestamp === undefined && metadata.uid === anchor.metadata.uid,
    (error) => {
      if (isMissing(error)) return false
      throw error
    },
  )

/** Hits whoever comes or starts anew, until the sickness is taken back or the signal says so. */
export const followPods = async (
  context: FaultContext,
  place: Place,
  sickness: NodeSickness,
  first: { readonly anchor: ApiObject; readonly containers: readonly string[] },
): Promise<void> => {
  const { api, laboratory, system, signal } = context
  const { apiVersion, plural } = chaosRef(laboratory, sickness.kind, sickness.name)
  const seen = new Set(first.containers)
  let end = (): void => {}
  const hit = async (pod: ApiObject): Promise<void> => {
    if (!(await isMeant(context, sickness, first.anchor))) return end()
    const name = `${sickness.name}-${pod.metadata.name}-${seen.size}`
    const metadata = { name, namespace: laboratory, labels: { [FOLLOW_UP_LABEL]: followUpOf(sickness) } }
    const spec = { ...onPod(system.namespace, pod.metadata.name), ...sickness.spec }
    await api.create(
      { apiVersion, plural, namespace: laboratory },
      { apiVersion, kind: sickness.kind, metadata, spec },
    )
    if (!(await isMeant(context, sickness, first.anchor))) await removeChaos(context, sickness.kind, name)
  }
  const hitAll = async (): Promise<void> => {
    for (const pod of await hitPods(context, place, sickness)) await hit(pod)
  }
  /** Calls back once for each container that begins to run among the pods so selected. */
  const follow = (selection: object, newcomer: (pod: ApiObject) => Promise<void>): Promise<() => void> =>
    api.watch(
      podsRef(context),
      selection,
      ({ type, object }) => {
        const container = runningContainer(object)
        if (type === 'DELETED' || container === undefined || seen.has(container) || signal.aborted) return
        seen.add(container)
        // The pod or the whole cluster may be going meanwhile: then there is nobody left to hit.
        newcomer(object).catch(() => {})
      },
      () => {},
    )
  const { peer } = sickness
  const ends = [
    await follow(place, async (pod) => {
      if (peer !== undefined && serviceOf(pod) === peer) await hitAll()
      else if (sickness.isFit(pod)) await hit(pod)
    }),
    ...(peer === undefined ? [] : [await follow({ labelSelector: `app=${peer}` }, hitAll)]),
  ]
  end = () => {
    for (const one of ends) one()
  }
  signal.addEventListener('abort', () => end(), { once: true })
  if (signal.aborted) end()
}

/** Those of the peer that run already need not be waited for. */
const peersOf = async (context: FaultContext, { peer }: NodeSickness): Promise<readonly ApiObject[]> => {
  if (peer === undefined) return []
  const { items } = await context.api.list(podsRef(context), { labelSelector: `app=${peer}` })
  return items.filter((pod) => runningContainer(pod) !== undefined)
}

/** Resolves when everybody there is hit, with who that is; there may be nobody left. */
export const makeSick = async (
  context: FaultContext,
  place: Place,
  sickness: NodeSickness,
): Promise<readonly ApiObject[]> => {
  const pods = await hitPods(context, place, sickness)
  const labels = sickness.comesAndGoes === true ? { [FOLLOW_UP_LABEL]: followUpOf(sickness) } : undefined
  if (pods.length === 0) return []
  await orElse(
    async () => {
      const [anchor] = await Promise.all(
        pods.map(({ metadata: { name } }) =>
          injectChaos(
            context,
            sickness.kind,
            `${sickness.name}-${name}`,
            { ...onPod(context.system.namespace, name), ...sickness.spec },
            { labels },
          ),
        ),
      )
      const known = [...pods, ...(await peersOf(context, sickness))]
      const containers = known.map((pod) => runningContainer(pod)!)
      await followPods(context, place, sickness, { anchor: anchor!, containers })
    },
    () => makeNodeWell(context, sickness),
  )
  return pods
}

/** The same for whoever is on one node, or comes there. */
export const makeNodeSick = (
  context: FaultContext,
  node: string,
  sickness: NodeSickness,
): Promise<readonly ApiObject[]> => makeSick(context, { fieldSelector: `spec.nodeName=${node}` }, sickness)

export const makeNodeWell = async (context: FaultContext, sickness: NodeSickness): Promise<void> => {
  const objects = await objectsOf(context, sickness)
  await Promise.all(objects.map(({ metadata }) => removeChaos(context, sickness.kind, metadata.name)))
}
