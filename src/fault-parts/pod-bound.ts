/** Faults that sit in one pod, put there by a chaos object, and gone with that pod. */
import type { ApiObject, Fault, FaultContext, FaultState, FaultTarget, Hack } from '../spec/index.ts'
import { type ChaosKind, chaosRef, injectChaos, isInjected, onPod, removeChaos } from './chaos.ts'
import { until } from './edit-workload.ts'
import { isMissing } from './ignore-missing.ts'
import { followPods, makeNodeWell, type NodeSickness, objectsOf } from './node-sickness.ts'
import { deleteTask, toPlaybook } from './playbook.ts'
import { dropFinalizers, hideThePod, killTheProgram, restartNeighbours } from './pod-hacks.ts'
import { isThere, podsOf } from './pods.ts'
import { addReplica } from './release-hacks.ts'

export interface PodBound {
  /** Of the fault; its chaos object is named after it and the service. */
  readonly name: string
  readonly kind: ChaosKind
  /** Whether it ends with the container that it was put into, or only with the pod. */
  readonly lastsIn: 'container' | 'pod'
  /**
   * Whether it is put into every container that the pod starts anew, because it lasts in the pod and would end with a container: a
   * liveness probe that it starves would heal it otherwise.
   */
  readonly follows?: boolean
  /** What the pod is, in a phrase: `in which the workers run`. */
  readonly what: string
  /**
   * How long the fix gives the pod to end: a second for one that answers nobody any more. Who has said good-bye to its callers
   * is asked no more by them, so all others get the time that they ask for.
   */
  readonly graceSeconds?: number
  /** What the chaos object says besides the pod it is for. */
  spec(context: FaultContext): object
  /** Looks whether it still does what it should while it is in force. */
  isAtWork?(context: FaultContext, pod: string): Promise<boolean>
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly containerStatuses?: readonly {
    readonly name: string
    readonly containerID?: string
    readonly state?: { readonly running?: { readonly startedAt: string } }
  }[]
}

const isReady = ({ status }: ApiObject): boolean =>
  ((status as Status | undefined)?.conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )

/** Chaos objects that name no container mean the first. */
const statusOf = ({ spec, status }: ApiObject) => {
  const [first] = (spec as { containers: readonly { name: string }[] }).containers
  const { containerStatuses = [] } = (status ?? {}) as Status
  return containerStatuses.find(({ name }) => name === first?.name)
}

const containerOf = (pod: ApiObject): string => statusOf(pod)?.containerID ?? ''

/** Of a cluster of servers only the one in that role will do, where the target says so. */
const isMeant = ({ metadata }: ApiObject, { role }: FaultTarget): boolean =>
  role === undefined || (metadata.labels as Record<string, string> | undefined)?.role === role

/** One that serves. */
const servingPod = async (context: FaultContext) => {
  const { target } = context
  const { service } = target
  let found: ApiObject | undefined
  await until(context, `a pod of ${service} serves`, async () => {
    found = (await podsOf(context, service)).find((pod) => isReady(pod) && isMeant(pod, target))
    return found !== undefined
  })
  return found!
}

/** The very pod, whoever it belongs to now, and no other of its name, as StatefulSets make them. */
const hitPod = async ({ api, system }: FaultContext, state: FaultState): Promise<ApiObject | undefined> => {
  const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name: String(state.pod) }
  const pod = await api.get(ref).catch((error) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (pod === undefined) return undefined
  const { uid, deletionTimestamp } = pod.metadata
  return uid === state.uid && deletionTimestamp === undefined ? pod : undefined
}

/** Whether the pod that was hit is there, and its container at work. */
const runs = async (context: FaultContext, state: FaultState): Promise<boolean> => {
  const pod = await hitPod(context, state)
  return pod !== undefined && statusOf(pod)?.state?.running !== undefined
}

/** Not while it is coming or going. */
const isActing = (chaos: ApiObject): boolean =>
  isInjected(chaos) && chaos.metadata.deletionTimestamp === undefined

const isInForce = (context: FaultContext, kind: ChaosKind, name: string): Promise<boolean> =>
  context.api.get(chaosRef(context.laboratory, kind, name)).then(isActing, (error) => {
    if (isMissing(error)) return false
    throw error
  })

/** What all such faults do alike: come, go, be looked for and be mended. */
export const podBound = (bound: PodBound) => {
  const { name, kind, lastsIn, follows = false, what, graceSeconds, spec, isAtWork } = bound
  const nameOf = ({ target }: Pick<FaultContext, 'target'>): string => `${name}-${target.service}`
  /** In containers that the pod starts anew. */
  const again = (context: FaultContext, uid: unknown): NodeSickness => ({
    name: `${nameOf(context)}-again`,
    kind,
    spec: spec(context),
    isFit: ({ metadata }) => metadata.uid === uid,
  })
  const recover = async (context: FaultContext): Promise<void> => {
    // First what the others come after.
    await removeChaos(context, kind, nameOf(context))
    if (follows) await makeNodeWell(context, again(context, undefined))
  }

  /** Whether it was put into the container that runs now; between two containers it is in none. */
  const isInside = async (context: FaultContext, state: FaultState): Promise<boolean> => {
    const pod = await hitPod(context, state)
    const status = pod === undefined ? undefined : statusOf(pod)
    const startedAt = status?.state?.running?.startedAt
    if (startedAt === undefined) return false
    if (status?.containerID === state.container) return true
    return (await objectsOf(context, again(context, state.uid))).some(
      (one) => isActing(one) && String(one.metadata.creationTimestamp) >= startedAt,
    )
  }

  const inject: Fault['inject'] = async (context, before) => {
    // What is in force cannot be changed, only replaced; and whoever has replaced the pod has mended it.
    if (before !== undefined) await recover(context)
    const pod = before === undefined ? await servingPod(context) : await hitPod(context, before)
    if (pod === undefined) return before!
    // What comes again finds what somebody has made of the pod meanwhile: that is nobody's failure.
    const isHopeless = async (): Promise<boolean> => before !== undefined && !(await runs(context, before))
    const wanted = { ...onPod(context.system.namespace, pod.metadata.name), ...spec(context) }
    const anchor = await injectChaos(context, kind, nameOf(context), wanted, { isHopeless })
    if (follows) {
      const place = { fieldSelector: `metadata.name=${pod.metadata.name}` }
      const containers = [containerOf(pod)]
      await followPods(context, place, again(context, pod.metadata.uid), { anchor, containers })
    }
    const hit = { pod: pod.metadata.name, uid: pod.metadata.uid, container: containerOf(pod) }
    return follows ? hit : (before ?? hit)
  }

  const probe: Fault['probe'] = async (context, state) => {
    const pod = await hitPod(context, state)
    if (pod === undefined) return { ended: 'is gone' }
    if (lastsIn === 'container' && !['', state.container].includes(containerOf(pod)))
      return { ended: 'has a new container' }
    const isOn = async (): Promise<boolean> =>
      (await isInForce(context, kind, nameOf(context))) && (!follows || (await isInside(context, state)))
    if (isAtWork === undefined || !(await isOn()) || (await isAtWork(context, pod.metadata.name))) return {}
    // What the laboratory has taken away meanwhile, or went with a container, nobody else has ended.
    return (await isOn()) ? { ended: 'is free of it' } : {}
  }

  const isGone: Fault['isGone'] = ({ now, state, facts }) => {
    const ended = isThere(now, state.uid) ? facts.ended : 'is gone'
    return {
      holds: ended !== undefined,
      evidence: `the pod ${state.pod}, ${what}, ${ended ?? 'is still there'}`,
    }
  }

  const fix: Fault['fix'] = ({ system, state }) =>
    toPlaybook('Replace the pod', [
      deleteTask(
        'Delete it; its workload makes a new one',
        { apiVersion: 'v1', kind: 'Pod', namespace: system.namespace, name: String(state.pod) },
        graceSeconds,
      ),
    ])

  const hacks: readonly Hack[] = [
    ...[addReplica, hideThePod, restartNeighbours, dropFinalizers(kind, name)],
    // What ends with the container would be mended by it.
    ...(lastsIn === 'pod' ? [killTheProgram] : []),
  ]
  return { binding: 'pod', inject, recover, probe, isGone, fix, hacks } as const
}
