/** Builds the pod of a DaemonSet for one node, and finds the node of such a pod. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Affinity, Pod, PodSpec, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import type { Draft, Stored } from '#platform/kube/meta'
import { podFromTemplate } from '../ownership/owned-pods.ts'

export const REVISION_HASH = 'controller-revision-hash'
const TEMPLATE_GENERATION = 'pod-template-generation'
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation'

/** Node taints that every daemon pod tolerates. */
const TOLERATED: readonly (readonly [taint: string, effect: string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
]

/** Returns the tolerations of the template plus the default ones of daemon pods. */
export const daemonTolerations = (spec: PodSpec): Toleration[] => {
  const tolerated =
    spec.hostNetwork === true ? [...TOLERATED, ['network-unavailable', 'NoSchedule'] as const] : TOLERATED
  const declared = spec.tolerations ?? []
  const added = tolerated.map(([taint, effect]) => ({
    key: `node.kubernetes.io/${taint}`,
    operator: 'Exists',
    effect,
  }))
  const isDeclared = ({ key, operator, effect }: Toleration): boolean =>
    declared.some(
      (existing) =>
        existing.key === key &&
        existing.operator === operator &&
        existing.effect === effect &&
        !existing.tolerationSeconds,
    )
  return [...declared, ...added.filter((toleration) => !isDeclared(toleration))]
}

/** Restricts the affinity to one node, so that the default scheduler places the pod there. */
const pinnedTo = (node: string, affinity: Affinity | undefined): Affinity => {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  const { requiredDuringSchedulingIgnoredDuringExecution: required, ...nodeAffinity } =
    affinity?.nodeAffinity ?? {}
  const terms = required?.nodeSelectorTerms ?? []
  return {
    ...affinity,
    nodeAffinity: {
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms:
          terms.length === 0 ? [{ matchFields }] : terms.map((term) => ({ ...term, matchFields })),
      },
    },
  }
}

export const daemonPod = (set: Stored<DaemonSet>, hash: string, node: string): Draft<Pod> => {
  const draft = podFromTemplate(set, set.spec.template)
  const spec = set.spec.template.spec ?? { containers: [] }
  const generation = set.metadata.annotations?.[GENERATION_ANNOTATION]
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      labels: {
        ...draft.metadata?.labels,
        [REVISION_HASH]: hash,
        ...defined({ [TEMPLATE_GENERATION]: generation }),
      },
    },
    spec: { ...spec, affinity: pinnedTo(node, spec.affinity), tolerations: daemonTolerations(spec) },
  }
}

/** Returns the node that the pod is assigned to or was created for. */
export const nodeOf = ({ spec }: Stored<Pod>): string | undefined =>
  spec.nodeName ||
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
    .flatMap(({ matchFields }) => matchFields ?? [])
    .find(({ key, operator }) => key === 'metadata.name' && operator === 'In')?.values?.[0]
