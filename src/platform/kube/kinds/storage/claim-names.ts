/** Lists the PersistentVolumeClaims of a pod. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'

/** Returns the names of the pod's claims, including those of its ephemeral volumes. */
export const claimNames = ({ metadata, spec }: Stored<Pod>): string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName]
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`]
  })
