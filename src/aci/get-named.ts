/** One object by its name. */
import { nearestName } from '../kit/index.ts'
import type { ApiObject } from '../spec/index.ts'
import { type ActionContext, ActionRefusal } from './define-action.ts'
import { type KnownKind, refOf } from './kinds.ts'

/** Refuses a name that no object of the kind has. */
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
    if ((error as { code?: unknown }).code !== 404) throw error
    const names = (await api.list(ref)).items.map(({ metadata }) => metadata.name)
    const near = nearestName(name, names) ?? names.find((one) => one.startsWith(name))
    throw new ActionRefusal(
      `There is no ${kind.kind} "${name}"${near === undefined ? '' : `; did you mean "${near}"`}. There are: ${names.slice(0, 60).join(', ') || 'none'}.`,
    )
  }
}
