/** Recognises the objects in which tools record what they have applied: Helm releases, ApplySets, inventories. */
import { type ApiObject, labelsOf, viewAs } from '#spec'
import { isIntentChange } from '../objects/is-intent-change.ts'
import { HELM_RELEASE } from '../recording/objects-of-release.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'

/** The first version of the rules in which a record must name an object that was applied. */
const RULES_WITH_CONTENT = 7

const APPLY_SET = 'applyset.kubernetes.io/id'
const MEMBER_OF_APPLY_SET = 'applyset.kubernetes.io/part-of'
const INVENTORY = 'cli-utils.sigs.k8s.io/inventory-id'

/** Objects that the solver has added or changed, except the record itself. */
const changedObjects = ({ changes }: EpisodeFacts, record: ApiObject): readonly ApiObject[] =>
  changes
    .filter((change) => change.change !== 'deleted' && isIntentChange(change))
    .map(({ object }) => object)
    .filter(({ kind, metadata }) => kind !== record.kind || metadata.name !== record.metadata.name)

/** An inventory has a key for each object, such as `shop_cart_apps_Deployment`. */
const isInInventory = (record: ApiObject, { kind, metadata }: ApiObject): boolean =>
  Object.keys(viewAs('ConfigMap', record).data ?? {}).some(
    (key) => key.split('_')[1] === metadata.name && key.endsWith(`_${kind}`),
  )

const isNamedBy = (record: ApiObject, object: ApiObject): boolean => {
  const labels = labelsOf(record)
  if (record.type === HELM_RELEASE) {
    const { release } = record as { readonly release?: readonly string[] }
    return release?.includes(`${object.kind}/${object.metadata.name}`) === true
  }
  if (labels[APPLY_SET] !== undefined) return labelsOf(object)[MEMBER_OF_APPLY_SET] === labels[APPLY_SET]
  return isInInventory(record, object)
}

/** Whether the object is such a record, and names an object that was added or changed. Does not check whether pods read it. */
export const isRecordOfChanges = (view: EpisodeFacts, object: ApiObject): boolean => {
  const labels = labelsOf(object)
  const isRecord =
    object.type === HELM_RELEASE || [APPLY_SET, INVENTORY].some((label) => labels[label] !== undefined)
  if (!isRecord || view.rules < RULES_WITH_CONTENT) return isRecord
  return changedObjects(view, object).some((changed) => isNamedBy(object, changed))
}
