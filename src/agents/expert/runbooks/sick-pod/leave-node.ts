/** What befalls pods because of where they are: they leave their node, and nobody is put there any more. */
import type { PodView } from '../../observe/pods.ts'
import { type Call, isFailing } from '../../observe/traffic.ts'
import type { World } from '../../observe/world.ts'
import { applyTask, type Task, toPlaybook } from '../../playbook.ts'
import type { Fix } from '../../runbook.ts'

/** From here on it is not chance that a call does not come through. */
const CUT_SHARE = 0.9

const isCut = (call: Call): boolean => isFailing(call) && call.now.errorRate >= CUT_SHARE

/** The one whom the service does not reach any more, though it reaches others, or others reach that one. */
export const cutOffFrom = (calls: readonly Call[], service: string): string | undefined => {
  const outgoing = calls.filter(({ from, now }) => from === service && now.count > 0)
  const [cut, ...more] = outgoing.filter(isCut)
  if (cut === undefined || more.length > 0) return undefined
  const others = calls.filter(({ from, to, now }) => from !== service && to === cut.to && now.count > 0)
  const healthy = [...outgoing.filter((call) => call !== cut), ...others].filter((call) => !isFailing(call))
  return healthy.length > 0 ? cut.to : undefined
}

interface Mounted {
  readonly persistentVolumeClaim?: object
}

/** Whoever has a volume there could not be anywhere else. */
const canLeave = ({ object }: PodView): boolean =>
  ((object.spec as { volumes?: readonly Mounted[] } | undefined)?.volumes ?? []).every(
    ({ persistentVolumeClaim }) => persistentVolumeClaim === undefined,
  )

const deleteAllTask = (pods: readonly PodView[], namespace: string): Task => ({
  name: 'Delete the pods there, which come again on other nodes',
  'kubernetes.core.k8s': {
    state: 'absent',
    delete_options: { gracePeriodSeconds: 2 },
    definition: pods.map(({ name }) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } })),
  },
})

/** Nothing where the pod cannot leave its node, or has none. */
export const leaveNode = async (world: World, pod: PodView): Promise<Fix | undefined> => {
  const { node } = pod
  if (node === undefined || !canLeave(pod)) return undefined
  const leaving = (await world.pods()).filter((one) => one.node === node && canLeave(one))
  const services = [...new Set(leaving.map(({ service }) => service))]
  return {
    plan: `Cordon ${node}, and move the pods that can leave it (${services.join(', ')}) to the other nodes.`,
    services,
    replaces: leaving.map(({ uid }) => uid),
    playbook: toPlaybook(`Take the node ${node} out of use`, [
      applyTask('Cordon it', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: node },
        spec: { unschedulable: true },
      }),
      deleteAllTask(leaving, world.namespace),
    ]),
  }
}
