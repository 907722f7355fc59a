/** Has the claims of a pod bound on the node that was chosen for it. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { persistentVolumeClaims, persistentVolumes, SELECTED_NODE } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { podClaims, volumeFor } from './pod-claims.ts'

/** Asks for what is missing; tells whether all claims are bound already. */
export const bindVolumes = (client: Client, pod: Stored<Pod>, node: Stored<Node>): boolean => {
  const waiting = podClaims(client, pod)?.waiting ?? []
  for (const claim of waiting) {
    const volume = volumeFor(client, claim, node)
    if (volume !== undefined) {
      if (volume.spec.claimRef !== undefined) continue
      const { namespace, name, uid, resourceVersion } = claim.metadata
      const claimRef = {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        namespace: namespace!,
        name,
        uid,
        resourceVersion,
      }
      client.update(persistentVolumes, { ...volume, spec: { ...volume.spec, claimRef } })
      continue
    }
    const annotations = claim.metadata.annotations ?? {}
    if (annotations[SELECTED_NODE] === node.metadata.name) continue
    client.update(persistentVolumeClaims, {
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: { ...annotations, [SELECTED_NODE]: node.metadata.name },
      },
    })
  }
  return waiting.length === 0
}
