/** Pods bear nodes that are not ready or not reached for five minutes, unless they say otherwise. */
import type { Pod, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'

const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
const SECONDS = 300

/** Here operator and value do not matter: whoever speaks of the taint at all has made a choice. */
const speaksOf = (tolerations: readonly Toleration[], taint: string): boolean =>
  tolerations.some(
    ({ key = '', effect = '' }) => (key === taint || key === '') && (effect === 'NoExecute' || effect === ''),
  )

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  admit({ kind, operation, subresource, object }) {
    if (kind.id !== pods.id || operation === 'DELETE' || subresource !== undefined) return
    const { spec } = object as Stored<Pod>
    const tolerations = spec.tolerations ?? []
    const missing = TAINTS.filter((taint) => !speaksOf(tolerations, taint))
    if (missing.length === 0) return
    spec.tolerations = [
      ...tolerations,
      ...missing.map(
        (key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }) as const,
      ),
    ]
  },
}
