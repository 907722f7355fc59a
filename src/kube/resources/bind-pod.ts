/** Binding: how the scheduler gives a pod its node. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { pods, putPodCondition } from '../kinds/index.ts'
import { conflict, notFound, type Stored } from '../meta/index.ts'
import type { Core, WriteContext } from './core.ts'
import { commitUpdate } from './update-object.ts'

export const bindPod = (
  core: Core,
  namespace: string,
  name: string,
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
  const conditions = putPodCondition(pod, { type: 'PodScheduled', status: 'True' }, core.clock.now())
  const next = { ...pod, spec: { ...pod.spec, nodeName: node }, status: { ...pod.status, conditions } }
  commitUpdate(core, pods, next, pod, context, undefined)
}
