/** Decides which names of a definition are accepted: names must be unique among the definitions of a group. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Stored } from '#platform/kube/meta'

type Definition = Stored<CustomResourceDefinition>

interface AcceptedNames {
  names: CustomResourceDefinitionNames
  /** The conflict of the last taken name, if any. */
  conflict?: { reason: string; message: string }
}

const takenNames = (others: readonly Definition[]): { resources: Set<string>; kinds: Set<string> } => {
  const accepted = others.map(({ status }) => status.acceptedNames ?? { plural: '', kind: '' })
  return {
    resources: new Set(
      accepted.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(accepted.flatMap(({ kind, listKind = '' }) => [kind, listKind])),
  }
}

/** `others` are the other definitions of the same group. */
export const acceptNames = (definition: Definition, others: readonly Definition[]): AcceptedNames => {
  const { names } = definition.spec
  const before = definition.status.acceptedNames ?? { plural: '', kind: '' }
  const { resources, kinds } = takenNames(others)
  const accepted: CustomResourceDefinitionNames = { ...before }
  let conflict: AcceptedNames['conflict']
  const accept = <Key extends 'plural' | 'singular' | 'kind' | 'listKind'>(
    key: Key,
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = names[key] ?? ''
    if (name !== '' && name !== before[key] && used.has(name)) {
      conflict = { reason, message: `${JSON.stringify(name)} is already in use` }
    } else accepted[key] = name
  }
  accept('plural', resources, 'PluralConflict')
  accept('singular', resources, 'SingularConflict')
  const conflicts = (names.shortNames ?? []).filter(
    (name) => !(before.shortNames ?? []).includes(name) && resources.has(name),
  )
  if (conflicts.length > 0) {
    const message = conflicts.map((name) => `${JSON.stringify(name)} is already in use`).join(', ')
    conflict = { reason: 'ShortNamesConflict', message: conflicts.length > 1 ? `[${message}]` : message }
  } else if (names.shortNames === undefined) delete accepted.shortNames
  else accepted.shortNames = names.shortNames
  accept('kind', kinds, 'KindConflict')
  accept('listKind', kinds, 'ListKindConflict')
  if (names.categories === undefined) delete accepted.categories
  else accepted.categories = names.categories
  return conflict === undefined ? { names: accepted } : { names: accepted, conflict }
}
