/** Puts the same trouble into every pod of the system on one node, also into those that come there later. */
import { type ApiObject, type FaultContext, FOLLOW_UP_LABEL, type ResourceRef } from '../spec/index.ts'
import { type ChaosKind, chaosRef, injectChaos, isMissing, onPod, removeChaos } from './chaos.ts'

export interface NodeSickness {
  /** The names of all its objects begin with it. */
  readonly name: string
  readonly kind: ChaosKind
  /** What the object of each pod says besides the pod. */
  readonly spec: object
  /** Pods to which it cannot be done are left out. */
  isFit(pod: ApiObject): boolean
}

interface Status {
  readonly phase?: string
  readonly containerStatuses?: readonly { readonly name: string; readonly containerID?: string }[]
}

type Spec = { readonly nodeName?: string; readonly containers: readonly { readonly name: string }[] }

export const nodeOf = ({ spec }: ApiObject): string => (spec as Spec).nodeName ?? ''

/** The container that is hit, or nothing where it does not run yet. */
const runningContainer = ({ metadata, spec, status }: ApiObject): string | undefined => {
  const { phase, containerStatuses = [] } = (status ?? {}) as Status
  if (phase !== 'Running' || metadata.deletionTimestamp !== undefined) return undefined
  const [first] = (spec as Spec).containers
  return containerStatuses.find(({ name }) => name === first?.name)?.containerID
}

const podsRef = ({ system }: FaultContext): ResourceRef => ({
  ...{ apiVersion: 'v1', plural: 'pods' },
  namespace: system.namespace,
})

/** Pods on the node that can be hit. */
const hitPods = async (
  context: FaultContext,
  node: string,
  { isFit }: NodeSickness,
): Promise<readonly ApiObject[]> => {
  const { items } = await context.api.list(podsRef(context), { fieldSelector: `spec.nodeName=${node}` })
  return items.filter((pod) => runningContainer(pod) !== undefined && isFit(pod))
}

const objectsOf = async (context: FaultContext, { kind, name }: NodeSickness): Promise<readonly string[]> => {
  const { apiVersion, plural } = chaosRef(context.laboratory, kind, name)
  const { items } = await context.api.list({ apiVersion, plural, namespace: context.laboratory })
  return items.map(({ metadata }) => metadata.name).filter((found) => found.startsWith(`${name}-`))
}

/** As long as there is one of the first objects, the node is meant to be sick. */
const isMeant = (context: FaultContext, { kind }: NodeSickness, anchor: string): Promise<boolean> =>
  context.api.get(chaosRef(context.laboratory, kind, anchor)).then(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
    (error) => {
      if (isMissing(error)) return false
      throw error
    },
  )

/** Hits whoever comes or starts anew, until the sickness is taken back or the signal says so. */
const followPods = async (
  context: FaultContext,
  node: string,
  sickness: NodeSickness,
  first: { readonly anchor: string; readonly containers: readonly string[] },
): Promise<void> => {
  const { api, laboratory, system, signal } = context
  const { apiVersion, plural } = chaosRef(laboratory, sickness.kind, sickness.name)
  const seen = new Set(first.containers)
  let end = (): void => {}
  const hit = async (pod: ApiObject): Promise<void> => {
    if (!(await isMeant(context, sickness, first.anchor))) return end()
    const name = `${sickness.name}-${pod.metadata.name}-${seen.size}`
    const metadata = { name, namespace: laboratory, labels: { [FOLLOW_UP_LABEL]: 'true' } }
    const spec = { ...onPod(system.namespace, pod.metadata.name), ...sickness.spec }
    await api.create(
      { apiVersion, plural, namespace: laboratory },
      { apiVersion, kind: sickness.kind, metadata, spec },
    )
    if (!(await isMeant(context, sickness, first.anchor))) await removeChaos(context, sickness.kind, name)
  }
  end = await api.watch(
    podsRef(context),
    { fieldSelector: `spec.nodeName=${node}` },
    ({ type, object }) => {
      const container = runningContainer(object)
      if (type === 'DELETED' || container === undefined || seen.has(container) || signal.aborted) return
      seen.add(container)
      // The pod or the whole cluster may be going meanwhile: then there is nobody left to hit.
      if (sickness.isFit(object)) hit(object).catch(() => {})
    },
    () => {},
  )
  signal.addEventListener('abort', () => end(), { once: true })
  if (signal.aborted) end()
}

/** Resolves when everybody on the node is hit. */
export const makeNodeSick = async (
  context: FaultContext,
  node: string,
  sickness: NodeSickness,
): Promise<void> => {
  const pods = await hitPods(context, node, sickness)
  const names = pods.map(({ metadata }) => `${sickness.name}-${metadata.name}`)
  await Promise.all(
    pods.map(({ metadata }, index) =>
      injectChaos(context, sickness.kind, names[index]!, {
        ...onPod(context.system.namespace, metadata.name),
        ...sickness.spec,
      }),
    ),
  )
  const containers = pods.map((pod) => runningContainer(pod)!)
  await followPods(context, node, sickness, { anchor: names[0]!, containers })
}

export const makeNodeWell = async (context: FaultContext, sickness: NodeSickness): Promise<void> => {
  const names = await objectsOf(context, sickness)
  await Promise.all(names.map((name) => removeChaos(context, sickness.kind, name)))
}
