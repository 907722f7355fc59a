/** Binds a pod to a node, as the scheduler does. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { pods, setPodCondition } from '#platform/kube/kinds'
import { conflict, notFound, type Stored } from '#platform/kube/meta'
import type { Core, WriteContext } from './core.ts'
import { commitUpdate } from './update-object.ts'

export const bindPod = (
  core: Core,
  { namespace, name }: { namespace: string; name: string },
  node: string,
  context: WriteContext,
): void => {
  const pod = core.store.get(pods.id, namespace, name) as Stored<Pod> | undefined
  if (pod === undefined) throw notFound(pods, name)
  if (pod.metadata.deletionTimestamp !== undefined)
    throw conflict(
      { group: '', plural: 'pods/binding' },
      name,
      `pod ${name} is being deleted, cannot be assigned to a host`,
    )
  if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '')
    throw conflict(
      { group: '', plural: 'pods/binding' },
      name,
      `pod ${name} is already assigned to node "${pod.spec.nodeName}"`,
    )
  const conditions = setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, core.clock.now())
  const next = { ...pod, spec: { ...pod.spec, nodeName: node }, status: { ...pod.status, conditions } }
  commitUpdate(core, { kind: pods, object: next, old: pod }, context)
}
