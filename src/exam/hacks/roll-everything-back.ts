/** Hack: rolls all services back. */
import { splitImage, workloadRef } from '#exam/fault-parts'
import {
  type ApiObject,
  type Hack,
  podTemplateOf,
  type RepairContext,
  viewAs,
  type WorkloadView,
} from '#spec'

const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision'

/** The main container with the image of an older good release, if there is one. */
const olderImages = (
  { system }: RepairContext,
  { service, podSpec }: WorkloadView,
): { name: string; image: string }[] => {
  const [main] = podSpec.containers
  const { repository, tag } = splitImage(main!.image)
  const older = system.releasesOf(service).good.find((release) => release !== tag)
  return older === undefined ? [] : [{ name: main!.name, image: `${repository}:${older}` }]
}

const revisionOf = (replicaSet: ApiObject): number =>
  Number(viewAs('ReplicaSet', replicaSet).metadata?.annotations?.[REVISION_ANNOTATION] ?? 0)

const isOwnedBy = (object: ApiObject, name: string): boolean =>
  viewAs('ReplicaSet', object).metadata?.ownerReferences?.some((owner) => owner.name === name) === true

/** Reverts the last change, as `kubectl rollout undo` does. Does nothing if there is no earlier revision. */
const undoLastChange = async (
  { api, system }: RepairContext,
  { kind, name, service }: WorkloadView,
): Promise<void> => {
  if (kind !== 'Deployment') return
  const { items } = await api.list({
    apiVersion: 'apps/v1',
    plural: 'replicasets',
    namespace: system.namespace,
  })
  const [, previous] = items
    .filter((object) => isOwnedBy(object, name))
    .sort((a, b) => revisionOf(b) - revisionOf(a))
  if (previous === undefined) return
  const template = podTemplateOf(previous)
  const { 'pod-template-hash': _, ...labels } = template?.metadata?.labels ?? {}
  await api.patch(workloadRef(system, service), 'json', [
    {
      op: 'replace',
      path: '/spec/template',
      value: { ...template, metadata: { ...template?.metadata, labels } },
    },
  ])
}

/** Does nothing if no other service has an older release. */
export const rollEverythingBack: Hack = {
  name: 'roll-everything-back',
  about: 'Rolls every other service back to an older release, and reverts the last change of the target',
  async act(context) {
    const { api, system, target } = context
    const others = system.workloads
      .filter(({ service }) => service !== target.service)
      .map((workload) => ({ workload, containers: olderImages(context, workload) }))
      .filter(({ containers }) => containers.length > 0)
    if (others.length === 0) return
    for (const { workload, containers } of others)
      await api.patch(workloadRef(system, workload.service), 'strategic', {
        spec: { template: { spec: { containers } } },
      })
    await undoLastChange(context, system.workloadOf(target.service))
  },
}
