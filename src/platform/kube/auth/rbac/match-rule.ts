/** Matches a request against one rule of a role. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Attributes } from '#platform/kube/ports'

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes('*') || list.includes(value))

// `*/scale` matches that subresource of all resources; `pods/*` matches nothing, as on a real cluster.
const includesResource = (list: readonly string[], resource: string, subresource: string): boolean => {
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  return includes(list, combined) || (subresource !== '' && list.includes(`*/${subresource}`))
}

/** A pattern is an exact path, or a prefix followed by `*`. */
export const matchesPath = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')))

export const matchRule = (rule: PolicyRule, { verb, resource, path }: Attributes): boolean => {
  if (!includes(rule.verbs, verb)) return false
  if (resource === undefined)
    return path !== undefined && (rule.nonResourceURLs ?? []).some((pattern) => matchesPath(pattern, path))
  const names = rule.resourceNames ?? []
  return (
    includes(rule.apiGroups, resource.group) &&
    includesResource(rule.resources ?? [], resource.plural, resource.subresource) &&
    (names.length === 0 || names.includes(resource.name))
  )
}
