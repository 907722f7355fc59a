/** Which of the names that a definition asks for it may have: no two definitions of a group share one. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Stored } from '../meta/index.ts'

type Definition = Stored<CustomResourceDefinition>

interface AcceptedNames {
  names: CustomResourceDefinitionNames
  /** Of the last name that is taken; absent when none is. */
  conflict?: { reason: string; message: string }
}

const taken = (others: readonly Definition[]): { resources: Set<string>; kinds: Set<string> } => {
  const accepted = others.map(({ status }) => status.acceptedNames ?? { plural: '', kind: '' })
  return {
    resources: new Set(
      accepted.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(accepted.flatMap(({ kind, listKind = '' }) => [kind, listKind])),
  }
}

/** `others`: the other definitions of the same group. */
export const acceptNames = (definition: Definition, others: readonly Definition[]): AcceptedNames => {
  const { names } = definition.spec
  const before = definition.status.acceptedNames ?? { plural: '', kind: '' }
  const { resources, kinds } = taken(others)
  const accepted: CustomResourceDefinitionNames = { ...before }
  let conflict: AcceptedNames['conflict']
  const settle = <Key extends 'plural' | 'singular' | 'kind' | 'listKind'>(
    key: Key,
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = names[key] ?? ''
    if (name !== '' && name !== before[key] && used.has(name)) {
      conflict = { reason, message: `${JSON.stringify(name)} is already in use` }
    } else accepted[key] = name
  }
  settle('plural', resources, 'PluralConflict')
  settle('singular', resources, 'SingularConflict')
  const clashes = (names.shortNames ?? []).filter(
    (name) => !(before.shortNames ?? []).includes(name) && resources.has(name),
  )
  if (clashes.length > 0) {
    const message = clashes.map((name) => `${JSON.stringify(name)} is already in use`).join(', ')
    conflict = { reason: 'ShortNamesConflict', message: clashes.length > 1 ? `[${message}]` : message }
  } else if (names.shortNames === undefined) delete accepted.shortNames
  else accepted.shortNames = names.shortNames
  settle('kind', kinds, 'KindConflict')
  settle('listKind', kinds, 'ListKindConflict')
  if (names.categories === undefined) delete accepted.categories
  else accepted.categories = names.categories
  return conflict === undefined ? { names: accepted } : { names: accepted, conflict }
}
