/** Finds changes in episodes in which nothing had to be changed: each of them is damage. */
import type { Damage } from '#spec'
import { isSameIntent } from '../objects/intent.ts'
import { isControlled, isMadeByController, RULES_WITH_ALL_OWNERS } from '../objects/is-controlled.ts'
import { isMaintained } from '../objects/is-endpoints-of-selector.ts'
import { isIntentChange } from '../objects/is-intent-change.ts'
import type { EpisodeFacts, ObjectChange } from '../view/episode-view.ts'
import { toObjectKey } from '../view/object-set.ts'
import { isIntervention } from './laboratory-damage.ts'

/** Whether the laboratory reverted a change of the fault. */
const isRevertOfFault = (view: EpisodeFacts, { at, object }: ObjectChange): boolean => {
  const { baseline, injected } = view.objects
  const key = toObjectKey(object)
  return !isSameIntent(baseline.get(key), injected.get(key)) && isIntervention(view, at)
}

/** Whether a controller made the change, according to the owners of the object. */
const isByController = (view: EpisodeFacts, { change, object }: ObjectChange): boolean =>
  change === 'added' && view.rules >= RULES_WITH_ALL_OWNERS
    ? isMadeByController(view, object)
    : isControlled(view, object)

/** Ignores changes by controllers and autoscalers. */
export const needlessChanges = (view: EpisodeFacts): Damage[] => {
  const isAutoscaled = [...view.objects.baseline.values()].some(
    ({ kind }) => kind === 'HorizontalPodAutoscaler',
  )
  const found = new Map<string, Damage>()
  for (const change of view.changes) {
    const { kind, apiVersion, metadata } = change.object
    if (isByController(view, change) || isMaintained(change.object)) continue
    if (apiVersion.startsWith('chaos-mesh.org/') || !isIntentChange(change)) continue
    if (isAutoscaled && change.change === 'modified' && kind === 'Deployment') continue
    if (isRevertOfFault(view, change)) continue
    const name = `${kind}/${metadata.name}`
    found.set(name, { object: name, what: `was ${change.change}, although nothing had to be changed` })
  }
  return [...found.values()]
}
