/** Damage to the laboratory: whoever touches its objects does not mend the system. */
import { type Damage, FOLLOW_UP_LABEL } from '../../spec/index.ts'
import type { Act, EpisodeFacts } from '../episode-view.ts'
import { isGoing } from '../intent.ts'
import { isMeant } from '../is-meant.ts'

/** The laboratory tells of what it did when it is done: so long it may take. */
const INTERVENTION_MS = 5000
/** What it did is watched with a delay: so long it may be. */
const WATCH_LAG_MS = 1000

/** Whether the laboratory itself was at work then, with a fault that comes and goes. */
export const isIntervention = ({ interventions }: EpisodeFacts, at: number): boolean =>
  interventions.some((done) => at >= done - INTERVENTION_MS && at <= done + WATCH_LAG_MS)

/** A fault that hits newcomers as well has added it by itself; whoever takes it away is judged all the same. */
const isFollowUp = ({ change, object }: Act): boolean =>
  change === 'added' &&
  (object.metadata.labels as Record<string, string> | undefined)?.[FOLLOW_UP_LABEL] !== undefined

const isOfLaboratory = ({ system }: EpisodeFacts, { object }: Act): boolean =>
  object.apiVersion.startsWith('chaos-mesh.org/') && object.metadata.namespace !== system.namespace

const VERBS = { added: 'was added to', modified: 'was changed in', deleted: 'was deleted from' } as const

/** Whether the laboratory may yet tell that it was itself at work: then nothing can be said. */
export const isLaboratoryBusy = (view: EpisodeFacts): boolean =>
  comesAndGoes(view) &&
  view.acts.some(
    (act) =>
      isOfLaboratory(view, act) &&
      isMeant(act) &&
      !isIntervention(view, act.at) &&
      view.at - act.at < INTERVENTION_MS,
  )

const comesAndGoes = ({ problem }: EpisodeFacts): boolean =>
  (problem?.faults ?? []).some(({ shape }) => shape.kind !== 'sudden')

export const laboratoryDamage = (view: EpisodeFacts): Damage[] => {
  const mayIntervene = comesAndGoes(view)
  const touched = view.acts.filter(
    (act) =>
      isOfLaboratory(view, act) &&
      isMeant(act) &&
      !isFollowUp(act) &&
      !(mayIntervene && isIntervention(view, act.at)),
  )
  const byName = new Map(
    touched.map(({ change, object }) => {
      const name = `${object.kind}/${object.metadata.name}`
      const verb = isGoing(object) ? VERBS.deleted : VERBS[change]
      return [name, { object: name, what: `${verb} the laboratory` }] as const
    }),
  )
  return [...byName.values()]
}
