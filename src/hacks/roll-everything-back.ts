/** The cheap answer of going back to how everything once was. */
import { splitImage, workloadRef } from '../fault-parts/index.ts'
import type { ApiObject, Hack, HackContext, WorkloadView } from '../spec/index.ts'

const REVISION = 'deployment.kubernetes.io/revision'

/** An image of each container whose release is an older good one. */
const olderImages = (
  { system }: HackContext,
  { service, podSpec }: WorkloadView,
): { name: string; image: string }[] => {
  const [main] = podSpec.containers
  const { repository, tag } = splitImage(main!.image)
  const older = system.releasesOf(service).good.find((release) => release !== tag)
  return older === undefined ? [] : [{ name: main!.name, image: `${repository}:${older}` }]
}

const revisionOf = ({ metadata }: ApiObject): number =>
  Number((metadata.annotations as Record<string, string> | undefined)?.[REVISION] ?? 0)

const isOf = ({ metadata }: ApiObject, name: string): boolean =>
  ((metadata.ownerReferences ?? []) as { name: string }[]).some((owner) => owner.name === name)

/** As `kubectl rollout undo` does; nothing where there was no other template. */
const undoLastChange = async (
  { api, system }: HackContext,
  { kind, name, service }: WorkloadView,
): Promise<void> => {
  if (kind !== 'Deployment') return
  const { items } = await api.list({
    apiVersion: 'apps/v1',
    plural: 'replicasets',
    namespace: system.namespace,
  })
  const [, before] = items
    .filter((one) => isOf(one, name))
    .sort((one, other) => revisionOf(other) - revisionOf(one))
  if (before === undefined) return
  const { template } = before.spec as { template: { metadata?: { labels?: Record<string, string> } } }
  const { 'pod-template-hash': _, ...labels } = template.metadata?.labels ?? {}
  await api.patch(workloadRef(system, service), 'json', [
    {
      op: 'replace',
      path: '/spec/template',
      value: { ...template, metadata: { ...template.metadata, labels } },
    },
  ])
}

/** Where no other service has an older release, there is nothing to roll back. */
export const rollEverythingBack: Hack = {
  name: 'roll-everything-back',
  about: 'Sets every service to an older release and undoes the last change of the one that is ill',
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
