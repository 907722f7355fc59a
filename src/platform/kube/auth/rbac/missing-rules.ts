/** Finds the rules that a user wants to grant but does not hold. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { matchesPath } from './match-rule.ts'

const includesAll = (held: readonly string[] | undefined, required: readonly string[] | undefined): boolean =>
  held?.includes('*') === true || (required ?? []).every((value) => held?.includes(value) === true)

const includesResources = (held: readonly string[] = [], required: readonly string[] = []): boolean =>
  held.includes('*') ||
  required.every(
    (resource) =>
      held.includes(resource) || (resource.includes('/') && held.includes(`*/${resource.split('/')[1]}`)),
  )

const includesNames = (held: readonly string[] = [], required: readonly string[] = []): boolean =>
  held.length === 0 || (required.length > 0 && required.every((name) => held.includes(name)))

const includesPaths = (held: readonly string[] = [], required: readonly string[] = []): boolean =>
  required.every((path) => held.some((pattern) => matchesPath(pattern, path)))

const covers = (held: PolicyRule, required: PolicyRule): boolean =>
  includesAll(held.verbs, required.verbs) &&
  includesAll(held.apiGroups, required.apiGroups) &&
  includesResources(held.resources, required.resources) &&
  includesPaths(held.nonResourceURLs, required.nonResourceURLs) &&
  includesNames(held.resourceNames, required.resourceNames)

/** Splits a rule into rules for one verb on one resource each. */
const splitRule = ({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule) => {
  const found: PolicyRule[] = []
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) {
        const atom = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (resourceNames.length === 0) found.push(atom)
        for (const name of resourceNames) found.push({ ...atom, resourceNames: [name] })
      }
  for (const path of nonResourceURLs)
    for (const verb of verbs) found.push({ nonResourceURLs: [path], verbs: [verb] })
  return found
}

/** The single-verb rules of `required` that `held` does not cover. */
export const missingRules = (held: readonly PolicyRule[], required: readonly PolicyRule[]): PolicyRule[] =>
  required.flatMap(splitRule).filter((atom) => !held.some((rule) => covers(rule, atom)))

const goList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`

const ruleText = (rule: PolicyRule): string => {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  return `{${parts.flatMap(([title, list]) => (list?.length ? [`${title}:${goList(list)}`] : [])).join(', ')}}`
}

/** One line for each missing resource, with all its verbs. */
export const describeRules = (missing: readonly PolicyRule[]): string => {
  const merged = new Map<string, PolicyRule>()
  const texts = new Set<string>()
  for (const rule of missing) {
    if (rule.nonResourceURLs !== undefined) {
      texts.add(ruleText(rule))
      continue
    }
    const key = ruleText({ ...rule, verbs: [] })
    const known = merged.get(key)
    merged.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] })
  }
  for (const rule of merged.values()) texts.add(ruleText(rule))
  return [...texts].sort().join('\n')
}
