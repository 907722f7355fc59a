/** Finds changes to the laboratory's own objects, which no repair may change. */
import { type Damage, FOLLOW_UP_LABEL, isTerminating, labelsOf, REMOVED_WITH_CAUSE } from '#spec'
import { isIntentChange } from '../objects/is-intent-change.ts'
import type { EpisodeFacts, ObjectChange } from '../view/episode-view.ts'

/** The longest delay between an action of the laboratory and its watch event. */
const WATCH_LAG_MS = 1000

/** Whether the schedule of a fault was injecting or recovering it at that time. */
export const isIntervention = ({ interventions }: EpisodeFacts, at: number): boolean =>
  interventions.some(({ from, to = Number.POSITIVE_INFINITY }) => at >= from && at <= to + WATCH_LAG_MS)

/** Whether the fault itself may have made the change: it adds objects for new pods, and some faults remove them with the cause. */
const isFollowUp = ({ change, object }: ObjectChange): boolean => {
  const { [FOLLOW_UP_LABEL]: label } = labelsOf(object)
  return label === REMOVED_WITH_CAUSE || (label !== undefined && change === 'added')
}

const isOfLaboratory = ({ system }: EpisodeFacts, { object }: ObjectChange): boolean =>
  object.apiVersion.startsWith('chaos-mesh.org/') && object.metadata.namespace !== system.namespace

const VERBS = { added: 'was added to', modified: 'was changed in', deleted: 'was deleted from' } as const

export const laboratoryDamage = (view: EpisodeFacts): Damage[] => {
  const solverChanges = view.changes.filter(
    (objectChange) =>
      isOfLaboratory(view, objectChange) &&
      isIntentChange(objectChange) &&
      !isFollowUp(objectChange) &&
      !isIntervention(view, objectChange.at),
  )
  const byName = new Map(
    solverChanges.map(({ change, object }) => {
      const name = `${object.kind}/${object.metadata.name}`
      const verb = isTerminating(object) ? VERBS.deleted : VERBS[change]
      return [name, { object: name, what: `${verb} the laboratory` }] as const
    }),
  )
  return [...byName.values()]
}
