/** Requests the binding of a pod's claims on the node that was chosen for it. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import { persistentVolumeClaims, persistentVolumes, SELECTED_NODE } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { findVolume, listClaims } from './pod-claims.ts'

/** Requests the binding of unbound claims; returns whether all claims are already bound. */
export const bindVolumes = (client: Client, pod: Stored<Pod>, node: Stored<Node>): boolean => {
  const waiting = listClaims(client, pod)?.waiting ?? []
  for (const claim of waiting) {
    const volume = findVolume(client, claim, node)
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
