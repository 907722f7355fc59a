/** The pod that a DaemonSet puts on one node, and how to tell for which node a pod was made. */
import type { DaemonSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Affinity, Pod, PodSpec, Toleration } from 'kubernetes-types/core/v1.d.ts'
import type { Draft, Stored } from '../../meta/index.ts'
import { podFromTemplate } from '../workload/owned-pods.ts'

export const REVISION_HASH = 'controller-revision-hash'
const TEMPLATE_GENERATION = 'pod-template-generation'
const GENERATION_NOTE = 'deprecated.daemonset.template.generation'

/** Troubles of a node that a daemon must live with. */
const TOLERATED: readonly (readonly [taint: string, effect: string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
]

/** The tolerations of the template and those that every daemon has. */
export const daemonTolerations = (spec: PodSpec): Toleration[] => {
  const tolerated =
    spec.hostNetwork === true ? [...TOLERATED, ['network-unavailable', 'NoSchedule'] as const] : TOLERATED
  const given = spec.tolerations ?? []
  const added = tolerated.map(([taint, effect]) => ({
    key: `node.kubernetes.io/${taint}`,
    operator: 'Exists',
    effect,
  }))
  const isGiven = ({ key, operator, effect }: Toleration): boolean =>
    given.some(
      (own) =>
        own.key === key && own.operator === operator && own.effect === effect && !own.tolerationSeconds,
    )
  return [...given, ...added.filter((toleration) => !isGiven(toleration))]
}

/** The affinity narrowed to one node; the scheduler does the rest. */
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
  const generation = set.metadata.annotations?.[GENERATION_NOTE]
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      labels: {
        ...draft.metadata?.labels,
        [REVISION_HASH]: hash,
        ...(generation === undefined ? {} : { [TEMPLATE_GENERATION]: generation }),
      },
    },
    spec: { ...spec, affinity: pinnedTo(node, spec.affinity), tolerations: daemonTolerations(spec) },
  }
}

/** The node a pod is on or was made for. */
export const nodeOf = ({ spec }: Stored<Pod>): string | undefined =>
  spec.nodeName ||
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
    .flatMap(({ matchFields }) => matchFields ?? [])
    .find(({ key, operator }) => key === 'metadata.name' && operator === 'In')?.values?.[0]
