/** Finds the scale target of an autoscaler. */
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts'
import { deployments, replicaSets } from '#platform/kube/kinds'
import { noSuchResource, notFound, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type Scale, scaleOf } from '../scale-of.ts'

/** Kinds whose "not found" error names the scale subresource. */
const NAMED_BY_SUBRESOURCE = new Set([deployments.id, replicaSets.id])

/** Throws the error of the API server if the target does not exist. */
export const findTarget = (client: Client, autoscaler: Stored<HorizontalPodAutoscaler>): Scale => {
  const { apiVersion = '', kind: kindName, name } = autoscaler.spec.scaleTargetRef
  const kind = client.kindOf(apiVersion, kindName)
  if (kind === undefined) {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
    throw new Error(`no matches for kind "${kindName}" in group "${group}"`)
  }
  if (kind.scale === undefined) throw noSuchResource()
  const scale = scaleOf(client, kind, autoscaler.metadata.namespace ?? '', name)
  if (scale !== undefined) return scale
  const plural = NAMED_BY_SUBRESOURCE.has(kind.id) ? `${kind.plural}/scale` : kind.plural
  throw notFound({ group: kind.group, plural }, name)
}

/** Lists the autoscalers that target the same pods, including this one. */
export const listOverlapping = (
  client: Client,
  autoscaler: Stored<HorizontalPodAutoscaler>,
  overlaps: (scale: Scale) => boolean,
  all: readonly Stored<HorizontalPodAutoscaler>[],
): string[] =>
  all
    .filter((candidate) => {
      if (candidate.metadata.uid === autoscaler.metadata.uid) return true
      try {
        return overlaps(findTarget(client, candidate))
      } catch {
        return false
      }
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
