/** Where nothing had to be changed, every change is damage. */
import type { ApiObject, Damage } from '../../spec/index.ts'
import type { Act, EpisodeFacts } from '../episode-view.ts'
import { isSameIntent } from '../intent.ts'
import { isMeant } from '../is-meant.ts'
import { toObjectKey } from '../object-set.ts'
import { isIntervention } from './laboratory-damage.ts'

const isOwned = ({ object }: Act): boolean =>
  ((object.metadata.ownerReferences ?? []) as unknown[]).length > 0

/** What the fault itself had changed is the laboratory's to take back. */
const isTakenBack = (view: EpisodeFacts, { at, object }: Act): boolean => {
  const { baseline, injected } = view.objects
  const key = toObjectKey(object)
  return !isSameIntent(baseline.get(key), injected.get(key)) && isIntervention(view, at)
}

const restartsOf = (pod: ApiObject | undefined): number => {
  const { containerStatuses = [] } = (pod?.status ?? {}) as {
    containerStatuses?: { restartCount?: number }[]
  }
  return containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)
}

/** Programs that were ended inside their pods; a fault that ends them itself has done so before. */
const needlessRestarts = ({ acts, objects: { baseline, injected } }: EpisodeFacts): Damage[] =>
  acts
    .filter(({ object, before }) => object.kind === 'Pod' && before !== undefined)
    .filter(({ object, before }) => restartsOf(object) > restartsOf(before))
    .filter(({ object }) => {
      const key = toObjectKey(object)
      return restartsOf(injected.get(key)) === restartsOf(baseline.get(key))
    })
    .map(({ object }) => ({
      object: `Pod/${object.metadata.name}`,
      what: 'was restarted, although nothing had to be',
    }))

/** Changes of objects that have no owner, except those by an autoscaler, and programs that were ended. */
export const needlessChanges = (view: EpisodeFacts): Damage[] => {
  const isAutoscaled = [...view.objects.baseline.values()].some(
    ({ kind }) => kind === 'HorizontalPodAutoscaler',
  )
  const found = new Map<string, Damage>()
  for (const act of view.acts) {
    const { kind, apiVersion, metadata } = act.object
    if (isOwned(act) || apiVersion.startsWith('chaos-mesh.org/') || !isMeant(act)) continue
    if (isAutoscaled && act.change === 'modified' && kind === 'Deployment') continue
    if (isTakenBack(view, act)) continue
    const name = `${kind}/${metadata.name}`
    found.set(name, { object: name, what: `was ${act.change}, although nothing had to be` })
  }
  return [...found.values(), ...needlessRestarts(view)]
}
