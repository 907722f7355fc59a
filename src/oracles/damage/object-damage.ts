/** Damage to everything else: Services, configuration, policies, claims, nodes. */
import type { ApiObject, Damage } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { isGoing, isSameIntent, toIntent } from '../intent.ts'
import { isControlled } from '../is-controlled.ts'
import { toObjectKey } from '../object-set.ts'
import type { Permissions } from '../permissions.ts'
import { isWorkload } from '../readiness.ts'
import { type DriftRule, driftOf } from './drift.ts'

/** What they hold is lost with them. */
const HOLD_DATA: readonly string[] = ['PersistentVolumeClaim', 'PersistentVolume']

/** Neither a pod nor what makes pods, nor the laboratory's, which are judged by rules of their own. */
export const isPlain = (object: ApiObject): boolean =>
  object.kind !== 'Pod' &&
  !isWorkload(object) &&
  !object.apiVersion.startsWith('chaos-mesh.org/') &&
  !isControlled(object)

const wasDeleted = ({ acts }: EpisodeFacts, key: string): boolean =>
  acts.some(({ change, object }) => toObjectKey(object) === key && (change === 'deleted' || isGoing(object)))

/** A node that may be emptied may be closed. */
const CLOSING: DriftRule = { place: /^(unschedulable|taints)$/, judge: () => [] }

const MOST_TOLD = 3

const tellFirst = (drift: readonly string[]): string => {
  const more = drift.length - MOST_TOLD
  return `${drift.slice(0, MOST_TOLD).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const damageTo = (view: EpisodeFacts, permissions: Permissions, key: string): readonly string[] => {
  const [baseline, injected] = [view.objects.baseline.get(key), view.objects.injected.get(key)]
  const found = view.objects.now.get(key)
  const now = found === undefined || isGoing(found) ? undefined : found
  if (baseline === undefined) return []
  if (HOLD_DATA.includes(baseline.kind) && wasDeleted(view, key)) return ['was deleted, with what it held']
  // Where the fault took it away, whether it is back as it should be is the question whether the cause is gone.
  if (injected === undefined) return []
  if (now === undefined) return ['was deleted']
  const rules = baseline.kind === 'Node' && permissions.mayEmpty(baseline.metadata.name) ? [CLOSING] : []
  const [is, was, left] = [now, baseline, injected].map(toIntent)
  const drift = driftOf({ now: is, baseline: was, injected: left }, rules)
  if (drift.length === 0) return []
  return isSameIntent(baseline, injected)
    ? ['was changed, although nothing was wrong with it']
    : [`${tellFirst(drift)}, which the fault has not changed`]
}

/** What the fault has changed in an object, and objects that it has added, are judged by whether the cause is gone. */
export const objectDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] =>
  [...view.objects.baseline].flatMap(([key, object]) =>
    (isPlain(object) ? damageTo(view, permissions, key) : []).map((what) => ({
      object: `${object.kind}/${object.metadata.name}`,
      what,
    })),
  )
