/** Filters nodes by whether the pod's volumes are reachable, bindable or provisionable there. */
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { matchesNodeSelector, persistentVolumes } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { type Cluster, type Filter, type Refusal, unresolvable } from '../filter.ts'
import { canProvision, findVolume, listClaims, type PodClaims } from '../pod-claims.ts'

const ZONE_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']

const checkBound = ({ bound }: PodClaims, { client }: Cluster, node: Stored<Node>): Refusal | undefined => {
  for (const claim of bound) {
    const volume = client.get(persistentVolumes, '', claim.spec.volumeName!)
    if (volume === undefined)
      return unresolvable('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)')
    if (!matchesNodeSelector(volume.spec.nodeAffinity?.required, node))
      return unresolvable('node(s) had volume node affinity conflict')
    for (const key of ZONE_LABELS) {
      const zones = volume.metadata.labels?.[key]?.split('__')
      if (zones !== undefined && !zones.includes(node.metadata.labels?.[key] ?? ''))
        return unresolvable('node(s) had no available volume zone')
    }
  }
  return undefined
}

export const volumes: Filter = {
  name: 'VolumeBinding',
  retriesOn: ['node', 'volume'],
  prepare({ pod }, cluster) {
    const { client } = cluster
    const claims = listClaims(client, pod)
    if (claims === undefined) return undefined
    return ({ node }) => {
      const refusal = checkBound(claims, cluster, node)
      if (refusal !== undefined) return refusal
      const canBind = claims.waiting.every(
        (claim) => findVolume(client, claim, node) !== undefined || canProvision(client, claim, node),
      )
      return canBind ? undefined : unresolvable("node(s) didn't find available persistent volumes to bind")
    }
  },
}
