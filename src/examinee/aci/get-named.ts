/** Gets one object by its name. */
import { type ApiObject, isNotFound } from '#spec'
import { type ActionContext, ActionRefusal } from './define-action.ts'
import { type KnownKind, refOf } from './kinds.ts'
import { suggestName } from './suggest-name.ts'

const MAX_LISTED_NAMES = 60

/** Throws `ActionRefusal` if no object of the kind has this name. */
export const getNamed = async (
  { api }: ActionContext,
  kind: KnownKind,
  namespace: string,
  name: string,
): Promise<ApiObject> => {
  const ref = refOf(kind, namespace)
  try {
    return await api.get({ ...ref, name })
  } catch (error) {
    if (!isNotFound(error)) throw error
    const names = (await api.list(ref)).items.map(({ metadata }) => metadata.name)
    const prefixed = names.find((candidate) => candidate.startsWith(name))
    const suggestion =
      suggestName(name, names) || (prefixed === undefined ? '' : ` Did you mean "${prefixed}"?`)
    const listed = names.slice(0, MAX_LISTED_NAMES).join(', ') || 'none'
    throw new ActionRefusal(
      `The ${kind.kind} "${name}" does not exist.${suggestion} Existing objects of this kind: ${listed}.`,
    )
  }
}
