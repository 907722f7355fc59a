/** Damage to everything else: Services, configuration, policies, claims, nodes. */
import type { ApiObject, Damage } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { isGoing, isSameIntent } from '../intent.ts'
import { toObjectKey } from '../object-set.ts'
import type { Permissions } from '../permissions.ts'
import { isWorkload } from '../readiness.ts'

/** What they hold is lost with them. */
const HOLD_DATA: readonly string[] = ['PersistentVolumeClaim', 'PersistentVolume']
/** They hinder others, so they are no mere addition. */
const CONSTRAIN: readonly string[] = [
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
]

const isPlain = (object: ApiObject): boolean =>
  object.kind !== 'Pod' &&
  !isWorkload(object) &&
  !object.apiVersion.startsWith('chaos-mesh.org/') &&
  ((object.metadata.ownerReferences ?? []) as unknown[]).length === 0

const wasDeleted = ({ acts }: EpisodeFacts, key: string): boolean =>
  acts.some(({ change, object }) => toObjectKey(object) === key && (change === 'deleted' || isGoing(object)))

const damageTo = (view: EpisodeFacts, permissions: Permissions, key: string): string | undefined => {
  const [baseline, injected] = [view.objects.baseline.get(key), view.objects.injected.get(key)]
  const found = view.objects.now.get(key)
  const now = found === undefined || isGoing(found) ? undefined : found
  if (baseline === undefined) return undefined
  if (HOLD_DATA.includes(baseline.kind) && wasDeleted(view, key)) return 'was deleted, with what it held'
  const isFaults = !isSameIntent(baseline, injected)
  if (now === undefined) return isFaults && injected === undefined ? undefined : 'was deleted'
  if (isFaults || (baseline.kind === 'Node' && permissions.mayEmpty(baseline.metadata.name))) return undefined
  return isSameIntent(now, baseline) ? undefined : 'was changed, although nothing was wrong with it'
}

const additions = ({ objects }: EpisodeFacts): ApiObject[] =>
  [...objects.now]
    .filter(([key]) => !objects.baseline.has(key) && !objects.injected.has(key))
    .map(([, one]) => one)

const toDamage = ({ kind, metadata }: ApiObject, what: string): Damage => ({
  object: `${kind}/${metadata.name}`,
  what,
})

/** Objects that the fault has added or changed are judged by whether the cause is gone. */
export const objectDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => [
  ...[...view.objects.baseline].flatMap(([key, object]) => {
    const what = isPlain(object) ? damageTo(view, permissions, key) : undefined
    return what === undefined ? [] : [toDamage(object, what)]
  }),
  ...additions(view)
    .filter((object) => isPlain(object) && CONSTRAIN.includes(object.kind))
    .map((object) => toDamage(object, 'was added and hinders others')),
]
