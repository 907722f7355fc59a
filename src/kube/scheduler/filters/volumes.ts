/** Holds pods to nodes where their volumes are, or can be had. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { matchesNodeSelector, persistentVolumes } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import { type Cluster, type Filter, type Refusal, unresolvable } from '../filter.ts'
import { canProvision, type PodClaims, podClaims, volumeFor } from '../pod-claims.ts'

const ZONES = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']

const checkBound = ({ bound }: PodClaims, { client }: Cluster, node: Stored<Node>): Refusal | undefined => {
  for (const claim of bound) {
    const volume = client.get(persistentVolumes, '', claim.spec.volumeName!)
    if (volume === undefined)
      return unresolvable('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)')
    if (!matchesNodeSelector(volume.spec.nodeAffinity?.required, node))
      return unresolvable('node(s) had volume node affinity conflict')
    for (const key of ZONES) {
      const zones = volume.metadata.labels?.[key]?.split('__')
      if (zones !== undefined && !zones.includes(node.metadata.labels?.[key] ?? ''))
        return unresolvable('node(s) had no available volume zone')
    }
  }
  return undefined
}

export const volumes: Filter = {
  name: 'VolumeBinding',
  wakesOn: ['node', 'volume'],
  prepare({ pod }, cluster) {
    const { client } = cluster
    const claims = podClaims(client, pod)
    if (claims === undefined) return undefined
    return ({ node }) => {
      const refusal = checkBound(claims, cluster, node)
      if (refusal !== undefined) return refusal
      const possible = claims.waiting.every(
        (claim) => volumeFor(client, claim, node) !== undefined || canProvision(client, claim, node),
      )
      return possible ? undefined : unresolvable("node(s) didn't find available persistent volumes to bind")
    }
  },
}
