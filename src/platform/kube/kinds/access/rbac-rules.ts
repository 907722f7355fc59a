/** Validation, defaults and columns that the RBAC kinds share. */
import type { PolicyRule, RoleRef, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { deepEqual } from '#kit'
import {
  type FieldError,
  goStrings,
  invalid,
  nameProblems,
  notSupported,
  required,
  type Stored,
} from '#platform/kube/meta'
import type { Cell, Column, PrintContext } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'

const GROUP = 'rbac.authorization.k8s.io'

const validateRule = (rule: PolicyRule, field: string, namespaced: boolean): FieldError[] => {
  const errors: FieldError[] = []
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  if (verbs.length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'))
  if (nonResourceURLs.length > 0) {
    const reject = (detail: string): void => {
      errors.push(invalid(`${field}.nonResourceURLs`, goStrings(nonResourceURLs), detail))
    }
    if (namespaced) reject('namespaced rules cannot apply to non-resource URLs')
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      reject('rules cannot apply to both regular resources and non-resource URLs')
    }
    return errors
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (resources.length === 0) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'))
  }
  return errors
}

export const validateRules = (rules: readonly PolicyRule[] | undefined, namespaced: boolean): FieldError[] =>
  (rules ?? []).flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced))

type Binding = Stored<{ roleRef: RoleRef; subjects?: Subject[] }>

export const defaultBinding = (draft: Binding): void => {
  if (draft.roleRef !== undefined && (draft.roleRef.apiGroup ?? '') === '') draft.roleRef.apiGroup = GROUP
  for (const subject of draft.subjects ?? []) {
    if ((subject.apiGroup ?? '') === '' && (subject.kind === 'User' || subject.kind === 'Group')) {
      subject.apiGroup = GROUP
    }
  }
}

const validateSubject = (subject: Subject, field: string, namespaced: boolean): FieldError[] => {
  const { kind = '', name = '', namespace = '', apiGroup = '' } = subject
  const errors: FieldError[] = name === '' ? [required(`${field}.name`)] : []
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        errors.push(
          ...nameProblems(name, 'subdomain').map((problem) => invalid(`${field}.name`, name, problem)),
        )
      }
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']))
      if (!namespaced && namespace === '') errors.push(required(`${field}.namespace`))
      return errors
    case 'User':
    case 'Group':
      return apiGroup === GROUP ? errors : [...errors, notSupported(`${field}.apiGroup`, apiGroup, [GROUP])]
    default:
      return [...errors, notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  }
}

const goRoleRef = ({ apiGroup, kind, name }: RoleRef): { go: string } => ({
  go: `rbac.RoleRef{APIGroup:${JSON.stringify(apiGroup)}, Kind:${JSON.stringify(kind)}, Name:${JSON.stringify(name)}}`,
})

/** Validates a binding. `roleKinds` lists the kinds that `roleRef` may name. */
export const validateBinding = (
  binding: Binding,
  old: Binding | undefined,
  roleKinds: readonly string[],
  namespaced: boolean,
): FieldError[] => {
  const { apiGroup = '', kind = '', name = '' }: Partial<RoleRef> = binding.roleRef ?? {}
  const roleRef = { apiGroup, kind, name }
  return [
    ...(roleRef.apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', roleRef.apiGroup, [GROUP])]),
    ...(roleKinds.includes(roleRef.kind) ? [] : [notSupported('roleRef.kind', roleRef.kind, roleKinds)]),
    ...(roleRef.name === ''
      ? [required('roleRef.name')]
      : nameProblems(roleRef.name, 'path-segment').map((problem) =>
          invalid('roleRef.name', roleRef.name, problem),
        )),
    ...(binding.subjects ?? []).flatMap((subject, index) =>
      validateSubject(subject, `subjects[${index}]`, namespaced),
    ),
    ...(old !== undefined && !deepEqual(old.roleRef, binding.roleRef)
      ? [invalid('roleRef', goRoleRef(roleRef), 'cannot change roleRef')]
      : []),
  ]
}

/** `binding` is the name of the kind in the descriptions. */
export const bindingColumns = (
  binding: 'roleBinding' | 'clusterRoleBinding',
  roleDescription: string,
): readonly Column[] => [
  nameColumn,
  textColumn('Role', roleDescription),
  ageColumn,
  wideColumn('Users', `Users in the ${binding}`),
  wideColumn('Groups', `Groups in the ${binding}`),
  wideColumn('ServiceAccounts', `ServiceAccounts in the ${binding}`),
]

const subjectsText = (subjects: readonly Subject[] | undefined, kind: string): string =>
  (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace = '' }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ')

export const bindingRow = (binding: Binding, context: PrintContext): Cell[] => [
  binding.metadata.name,
  `${binding.roleRef.kind}/${binding.roleRef.name}`,
  ageCell(binding, context),
  subjectsText(binding.subjects, 'User'),
  subjectsText(binding.subjects, 'Group'),
  subjectsText(binding.subjects, 'ServiceAccount'),
]
