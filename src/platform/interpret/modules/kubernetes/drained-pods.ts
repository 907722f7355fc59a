/** Chooses the pods of a node that a drain removes, and lists the reasons against the drain. */
import type { Json } from './api-client.ts'

export interface PodName {
  readonly namespace: string
  readonly name: string
}

export interface DrainOptions {
  readonly force?: boolean
  readonly ignore_daemonsets?: boolean
  readonly delete_emptydir_data?: boolean
}

export interface ChosenPods {
  readonly chosen: PodName[]
  readonly warnings: string[]
  readonly errors: string[]
}

const MIRROR = 'kubernetes.io/config.mirror'
const OWNERS = 'ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet'

const namesOf = (pods: readonly PodName[]): string =>
  pods.map(({ namespace, name }) => `${namespace}/${name}`).join(',')

type Group = 'mirror' | 'local' | 'unmanaged' | 'daemon' | 'chosen'

const groupsOf = ({ metadata, status, spec }: Json): Group[] => {
  if (MIRROR in (metadata.annotations ?? {})) return ['mirror']
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return ['chosen']
  if ((spec.volumes ?? []).some((volume: object) => 'emptyDir' in volume)) return ['local']
  const owners: { kind: string }[] = metadata.ownerReferences ?? []
  if (owners.length === 0) return ['unmanaged']
  return owners.map(({ kind }) => (kind === 'DaemonSet' ? 'daemon' : 'chosen'))
}

export const choosePods = (pods: readonly Json[], options: DrainOptions): ChosenPods => {
  const groups: Record<Group, PodName[]> = { mirror: [], local: [], unmanaged: [], daemon: [], chosen: [] }
  for (const pod of pods)
    for (const group of groupsOf(pod))
      groups[group].push({ namespace: pod.metadata.namespace, name: pod.metadata.name })
  const warnings: string[] = []
  const errors: string[] = []
  const { chosen, unmanaged, mirror, local, daemon } = groups
  if (unmanaged.length > 0) {
    const names = namesOf(unmanaged)
    if (!options.force)
      errors.push(
        `cannot delete Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet (use option force set to yes): ${names}.`,
      )
    else {
      warnings.push(`Deleting Pods not managed by ${OWNERS}: ${names}.`)
      chosen.push(...unmanaged)
    }
  }
  if (mirror.length > 0) warnings.push(`cannot delete mirror Pods using API server: ${namesOf(mirror)}.`)
  if (local.length > 0) {
    const names = namesOf(local)
    if (!options.delete_emptydir_data) errors.push(`cannot delete Pods with local storage: ${names}.`)
    else {
      warnings.push(`Deleting Pods with local storage: ${names}.`)
      chosen.push(...local)
    }
  }
  if (daemon.length > 0) {
    const names = namesOf(daemon)
    if (!options.ignore_daemonsets)
      errors.push(`cannot delete DaemonSet-managed Pods (use option ignore_daemonset set to yes): ${names}.`)
    else warnings.push(`Ignoring DaemonSet-managed Pods: ${names}.`)
  }
  return { chosen, warnings, errors }
}
