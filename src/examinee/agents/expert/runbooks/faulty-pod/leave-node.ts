/** Moves pods off a faulty node: cordons it, and deletes the pods that can be rescheduled. */
import { claimsOf } from '../../observe/kube-views.ts'
import type { PodView } from '../../observe/pods.ts'
import { type Call, isFailing } from '../../observe/traffic.ts'
import type { World } from '../../observe/world.ts'
import { applyTask, type Task, toPlaybook } from '../../playbook.ts'
import type { Fix } from '../../runbook.ts'

/** At this error rate a connection is considered cut. */
const MIN_CUT_ERROR_RATE = 0.9

const isCut = (call: Call): boolean => isFailing(call) && call.now.errorRate >= MIN_CUT_ERROR_RATE

/**
 * Returns the peer if it is the only one that the service cannot reach, and at least one other connection
 * of the service or of the peer works.
 */
export const findUnreachablePeer = (calls: readonly Call[], service: string): string | undefined => {
  const outgoing = calls.filter(({ from, now }) => from === service && now.count > 0)
  const [cut, ...furtherCuts] = outgoing.filter(isCut)
  if (cut === undefined || furtherCuts.length > 0) return undefined
  const otherCallers = calls.filter(({ from, to, now }) => from !== service && to === cut.to && now.count > 0)
  const healthy = [...outgoing.filter((call) => call !== cut), ...otherCallers].filter(
    (call) => !isFailing(call),
  )
  return healthy.length > 0 ? cut.to : undefined
}

/** A pod with a volume cannot run on another node. */
const canLeave = ({ spec }: PodView): boolean => claimsOf(spec).length === 0

const deleteAllTask = (pods: readonly PodView[], namespace: string): Task => ({
  name: 'Delete its pods, which are recreated on other nodes',
  'kubernetes.core.k8s': {
    state: 'absent',
    delete_options: { gracePeriodSeconds: 2 },
    definition: pods.map(({ name }) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } })),
  },
})

/** Returns undefined if the pod cannot leave its node. */
export const leaveNode = async (world: World, pod: PodView): Promise<Fix | undefined> => {
  const { node } = pod
  if (node === undefined || !canLeave(pod)) return undefined
  const leavingPods = (await world.pods()).filter(
    (candidate) => candidate.node === node && canLeave(candidate),
  )
  const services = [...new Set(leavingPods.map(({ service }) => service))]
  return {
    plan: `Cordon ${node}, and move its movable pods (${services.join(', ')}) to other nodes.`,
    services,
    replaces: leavingPods.map(({ uid }) => uid),
    playbook: toPlaybook(`Move pods off the node ${node}`, [
      applyTask('Cordon the node', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: node },
        spec: { unschedulable: true },
      }),
      deleteAllTask(leavingPods, world.namespace),
    ]),
  }
}
