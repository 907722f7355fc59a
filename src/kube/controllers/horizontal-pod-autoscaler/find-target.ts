/** The scale of what an autoscaler points at. */
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts'
import { deployments, replicaSets } from '../../kinds/index.ts'
import { noSuchResource, notFound, type Stored } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'
import { type Scale, scaleOf } from '../scaling/scale-of.ts'

/** These name their subresource when there is nothing to scale. */
const NAMED_BY_SUBRESOURCE = new Set([deployments.id, replicaSets.id])

/** Throws in the words of the API server. */
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

/** The other autoscalers that count the same pods, beginning with this one; alone where there are none. */
export const rivalsOf = (
  client: Client,
  autoscaler: Stored<HorizontalPodAutoscaler>,
  counts: (other: Scale) => boolean,
  all: readonly Stored<HorizontalPodAutoscaler>[],
): string[] =>
  all
    .filter((other) => {
      if (other.metadata.uid === autoscaler.metadata.uid) return true
      try {
        return counts(findTarget(client, other))
      } catch {
        return false
      }
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
