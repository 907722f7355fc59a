/** Adds default tolerations, so that pods stay for five minutes on a node that is not ready or unreachable. */
import type { Pod, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { AdmissionPlugin } from '#platform/kube/ports'

const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
const TOLERATION_SECONDS = 300

/** Any toleration of the taint counts, regardless of its operator and value. */
const hasToleration = (tolerations: readonly Toleration[], taint: string): boolean =>
  tolerations.some(
    ({ key = '', effect = '' }) => (key === taint || key === '') && (effect === 'NoExecute' || effect === ''),
  )

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  admit({ kind, operation, subresource, object }) {
    if (kind.id !== pods.id || operation === 'DELETE' || subresource !== undefined) return
    const { spec } = object as Stored<Pod>
    const tolerations = spec.tolerations ?? []
    const missing = TAINTS.filter((taint) => !hasToleration(tolerations, taint))
    if (missing.length === 0) return
    spec.tolerations = [
      ...tolerations,
      ...missing.map(
        (key) =>
          ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATION_SECONDS }) as const,
      ),
    ]
  },
}
