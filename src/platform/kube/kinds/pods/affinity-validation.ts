/** Validates node affinity, pod affinity and pod anti-affinity. */
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from 'kubernetes-types/core/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  labelValueProblems,
  nameProblems,
  required,
} from '#platform/kube/meta'
import { validateLabelName, validateLabelSelector } from '../validation/label-selector-validation.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

const validateNodeRequirement = (
  { key = '', operator, values = [] }: Partial<NodeSelectorRequirement>,
  strict: boolean,
  at: string,
): FieldError[] => {
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      )
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.push(required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
  } else errors.push(invalid(`${at}.operator`, operator ?? '', 'not a valid selector operator'))
  errors.push(...validateLabelName(key, `${at}.key`))
  if (strict)
    values.forEach((value, index) => {
      for (const problem of labelValueProblems(value))
        errors.push(invalid(`${at}.values[${index}]`, value, problem))
    })
  return errors
}

const validateFieldRequirement = (
  { key = '', operator, values = [] }: Partial<NodeSelectorRequirement>,
  at: string,
): FieldError[] => {
  const errors: FieldError[] = []
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(`${at}.operator`, operator ?? '', 'not a valid selector operator'))
  else if (values.length !== 1)
    errors.push(
      required(
        `${at}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    )
  if (key !== 'metadata.name') return [...errors, invalid(`${at}.key`, key, 'not a valid field selector key')]
  values.forEach((value, index) => {
    for (const problem of nameProblems(value, 'subdomain'))
      errors.push(invalid(`${at}.values[${index}]`, value, problem))
  })
  return errors
}

const validateTerm = (term: NodeSelectorTerm, strict: boolean, at: string): FieldError[] => [
  ...(term.matchExpressions ?? []).flatMap((requirement, index) =>
    validateNodeRequirement(requirement, strict, `${at}.matchExpressions[${index}]`),
  ),
  ...(term.matchFields ?? []).flatMap((requirement, index) =>
    validateFieldRequirement(requirement, `${at}.matchFields[${index}]`),
  ),
]

const validateNodeSelector = (selector: NodeSelector, at: string): FieldError[] => {
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 0)
    return [required(`${at}.nodeSelectorTerms`, 'must have at least one node selector term')]
  return terms.flatMap((term, index) => validateTerm(term, true, `${at}.nodeSelectorTerms[${index}]`))
}

const validateWeight = (weight: number | undefined, at: string): FieldError[] =>
  weight !== undefined && weight >= 1 && weight <= 100
    ? []
    : [invalid(`${at}.weight`, weight ?? 0, 'must be in the range 1-100')]

const validatePodTerm = (term: PodAffinityTerm, at: string): FieldError[] => [
  ...validateLabelSelector(term.labelSelector, `${at}.labelSelector`),
  ...validateLabelSelector(term.namespaceSelector, `${at}.namespaceSelector`),
  ...(term.namespaces ?? []).flatMap((name) =>
    nameProblems(name, 'label').map((problem) => invalid(`${at}.namespace`, name, problem)),
  ),
  ...((term.topologyKey ?? '') === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
  ...validateLabelName(term.topologyKey ?? '', `${at}.topologyKey`),
]

const validatePodTerms = (affinity: PodAffinity, at: string): FieldError[] => [
  ...(affinity[REQUIRED] ?? []).flatMap((term, index) =>
    validatePodTerm(term, `${at}.${REQUIRED}[${index}]`),
  ),
  ...(affinity[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, index) => [
    ...validateWeight(weight, `${at}.${PREFERRED}[${index}]`),
    ...validatePodTerm(podAffinityTerm, `${at}.${PREFERRED}[${index}].podAffinityTerm`),
  ]),
]

export const validateAffinity = (affinity: Affinity | undefined, at: string): FieldError[] => {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {}
  const nodes = nodeAffinity?.[REQUIRED]
  return [
    ...(nodes === undefined ? [] : validateNodeSelector(nodes, `${at}.nodeAffinity.${REQUIRED}`)),
    ...(nodeAffinity?.[PREFERRED] ?? []).flatMap(({ weight, preference }, index) => [
      ...validateWeight(weight, `${at}.nodeAffinity.${PREFERRED}[${index}]`),
      ...validateTerm(preference ?? {}, false, `${at}.nodeAffinity.${PREFERRED}[${index}].preference`),
    ]),
    ...(podAffinity === undefined ? [] : validatePodTerms(podAffinity, `${at}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : validatePodTerms(podAntiAffinity, `${at}.podAntiAffinity`)),
  ]
}
