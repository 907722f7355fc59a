/** Whether the rules that somebody holds contain all of the rules that he wants to grant. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { matchesPath } from './match-rule.ts'

const isAll = (held: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean =>
  held?.includes('*') === true || (wanted ?? []).every((one) => held?.includes(one) === true)

const hasResources = (held: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  held.includes('*') ||
  wanted.every((one) => held.includes(one) || (one.includes('/') && held.includes(`*/${one.split('/')[1]}`)))

const hasNames = (held: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  held.length === 0 || (wanted.length > 0 && wanted.every((one) => held.includes(one)))

const hasPaths = (held: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  wanted.every((path) => held.some((pattern) => matchesPath(pattern, path)))

const contains = (held: PolicyRule, wanted: PolicyRule): boolean =>
  isAll(held.verbs, wanted.verbs) &&
  isAll(held.apiGroups, wanted.apiGroups) &&
  hasResources(held.resources, wanted.resources) &&
  hasPaths(held.nonResourceURLs, wanted.nonResourceURLs) &&
  hasNames(held.resourceNames, wanted.resourceNames)

/** The rule as many rules that allow one verb on one thing each. */
const atoms = ({
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

/** The atoms of `wanted` that `held` does not contain. */
export const missingRules = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] =>
  wanted.flatMap(atoms).filter((atom) => !held.some((rule) => contains(rule, atom)))

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

/** One line for each thing that is missing, its verbs together. */
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
