/** Where nothing had to be changed, every change is damage. */
import type { Damage } from '../../spec/index.ts'
import type { Act, EpisodeFacts } from '../episode-view.ts'
import { isSameIntent } from '../intent.ts'
import { isControlled } from '../is-controlled.ts'
import { isMeant } from '../is-meant.ts'
import { toObjectKey } from '../object-set.ts'
import { isIntervention } from './laboratory-damage.ts'

/** What the fault itself had changed is the laboratory's to take back. */
const isTakenBack = (view: EpisodeFacts, { at, object }: Act): boolean => {
  const { baseline, injected } = view.objects
  const key = toObjectKey(object)
  return !isSameIntent(baseline.get(key), injected.get(key)) && isIntervention(view, at)
}

/** Changes of objects that no controller makes, except those by an autoscaler. */
export const needlessChanges = (view: EpisodeFacts): Damage[] => {
  const isAutoscaled = [...view.objects.baseline.values()].some(
    ({ kind }) => kind === 'HorizontalPodAutoscaler',
  )
  const found = new Map<string, Damage>()
  for (const act of view.acts) {
    const { kind, apiVersion, metadata } = act.object
    if (isControlled(act.object) || apiVersion.startsWith('chaos-mesh.org/') || !isMeant(act)) continue
    if (isAutoscaled && act.change === 'modified' && kind === 'Deployment') continue
    if (isTakenBack(view, act)) continue
    const name = `${kind}/${metadata.name}`
    found.set(name, { object: name, what: `was ${act.change}, although nothing had to be` })
  }
  return [...found.values()]
}
