/** Parses rules of one line each: verbs, groups, resources and optionally names. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { defined } from '#kit'

/**
 * Roles by name. A rule is `get,list apps deployments [names]`, with `core` for the empty group, or
 * `get /healthz,/livez` for paths. `read`, `write`, `manage` and `record` abbreviate common sets of verbs.
 */
export type RoleTable = Readonly<Record<string, readonly string[]>>

const VERB_SETS: Readonly<Record<string, string>> = {
  read: 'get,list,watch',
  write: 'create,delete,deletecollection,patch,update',
  manage: 'create,delete,deletecollection,get,list,patch,update,watch',
  record: 'create,patch,update',
}

export const parseRule = (line: string): PolicyRule => {
  const [words = '', ...columns] = line.split(' ')
  const verbs = (VERB_SETS[words] ?? words).split(',')
  const [groups = '', resources, names] = columns
  if (resources === undefined) return { verbs, nonResourceURLs: groups.split(',') }
  return {
    verbs,
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(','),
    ...defined({ resourceNames: names?.split(',') }),
  }
}
