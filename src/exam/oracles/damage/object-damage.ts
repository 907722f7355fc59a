/** Finds damage to objects other than workloads and pods: Services, configuration, policies, claims, nodes. */
import { type ApiObject, type Damage, isTerminating } from '#spec'
import { isSameIntent, toIntent } from '../objects/intent.ts'
import { isControlled } from '../objects/is-controlled.ts'
import { isMaintained } from '../objects/is-endpoints-of-selector.ts'
import { isWorkload } from '../objects/readiness.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectKey } from '../view/object-set.ts'
import { type DriftRule, driftOf } from './drift.ts'
import { NOTE_RULES } from './note-rules.ts'
import type { Permissions } from './permissions.ts'
import { isReplaced } from './references.ts'

/** Kinds whose deletion loses data. */
const DATA_KINDS: readonly string[] = ['PersistentVolumeClaim', 'PersistentVolume']

/** Excludes pods, workloads, chaos objects and objects that controllers maintain, which are judged elsewhere. */
const isJudgedHere = (view: EpisodeFacts, object: ApiObject): boolean =>
  object.kind !== 'Pod' &&
  !isWorkload(object) &&
  !object.apiVersion.startsWith('chaos-mesh.org/') &&
  !isMaintained(object) &&
  !isControlled(view, object)

const wasDeleted = ({ changes }: EpisodeFacts, key: string): boolean =>
  changes.some(
    ({ change, object }) => toObjectKey(object) === key && (change === 'deleted' || isTerminating(object)),
  )

/** A node that may be drained may be cordoned. */
const CORDON: DriftRule = { path: /^(unschedulable|taints)$/, judge: () => [] }

const MAX_REPORTED = 3

const joinFirst = (drift: readonly string[]): string => {
  const more = drift.length - MAX_REPORTED
  return `${drift.slice(0, MAX_REPORTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const damageTo = (view: EpisodeFacts, permissions: Permissions, key: string): readonly string[] => {
  const [baseline, injected] = [view.objects.baseline.get(key), view.objects.injected.get(key)]
  const existing = view.objects.now.get(key)
  const now = existing === undefined || isTerminating(existing) ? undefined : existing
  if (baseline === undefined) return []
  if (DATA_KINDS.includes(baseline.kind) && wasDeleted(view, key)) return ['was deleted with its data']
  // If the fault deleted it, the oracle `cause-gone` judges whether it is back.
  if (injected === undefined) return []
  if (now === undefined) return isReplaced(view, permissions, injected) ? [] : ['was deleted']
  const rules = [
    ...(baseline.kind === 'Node' && permissions.mayDrain(baseline.metadata.name) ? [CORDON] : []),
    // The labels of a node decide which pods it runs.
    ...(baseline.kind === 'Node' || isSameIntent(baseline, injected) ? [] : NOTE_RULES),
  ]
  const drift = driftOf(
    { now: toIntent(now), baseline: toIntent(baseline), injected: toIntent(injected) },
    rules,
  )
  if (drift.length === 0) return []
  return isSameIntent(baseline, injected)
    ? ['was changed, although nothing was wrong with it']
    : [`${joinFirst(drift)}, which the fault did not change`]
}

/** The oracle `cause-gone` judges what the fault changed in an object, and the objects that it added. */
export const objectDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] =>
  [...view.objects.baseline].flatMap(([key, object]) =>
    (isJudgedHere(view, object) ? damageTo(view, permissions, key) : []).map((what) => ({
      object: `${object.kind}/${object.metadata.name}`,
      what,
    })),
  )
