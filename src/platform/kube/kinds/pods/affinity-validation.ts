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
  path: string,
): FieldError[] => {
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        forbiddenField(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      )
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.push(
        required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"),
      )
  } else errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'))
  errors.push(...validateLabelName(key, `${path}.key`))
  if (strict)
    values.forEach((value, index) => {
      for (const problem of labelValueProblems(value))
        errors.push(invalid(`${path}.values[${index}]`, value, problem))
    })
  return errors
}

const validateFieldRequirement = (
  { key = '', operator, values = [] }: Partial<NodeSelectorRequirement>,
  path: string,
): FieldError[] => {
  const errors: FieldError[] = []
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'))
  else if (values.length !== 1)
    errors.push(
      required(
        `${path}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    )
  if (key !== 'metadata.name')
    return [...errors, invalid(`${path}.key`, key, 'not a valid field selector key')]
  values.forEach((value, index) => {
    for (const problem of nameProblems(value, 'subdomain'))
      errors.push(invalid(`${path}.values[${index}]`, value, problem))
  })
  return errors
}

const validateTerm = (term: NodeSelectorTerm, strict: boolean, path: string): FieldError[] => [
  ...(term.matchExpressions ?? []).flatMap((requirement, index) =>
    validateNodeRequirement(requirement, strict, `${path}.matchExpressions[${index}]`),
  ),
  ...(term.matchFields ?? []).flatMap((requirement, index) =>
    validateFieldRequirement(requirement, `${path}.matchFields[${index}]`),
  ),
]

const validateNodeSelector = (selector: NodeSelector, path: string): FieldError[] => {
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 0)
    return [required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term')]
  return terms.flatMap((term, index) => validateTerm(term, true, `${path}.nodeSelectorTerms[${index}]`))
}

const validateWeight = (weight: number | undefined, path: string): FieldError[] =>
  weight !== undefined && weight >= 1 && weight <= 100
    ? []
    : [invalid(`${path}.weight`, weight ?? 0, 'must be in the range 1-100')]

const validatePodTerm = (term: PodAffinityTerm, path: string): FieldError[] => [
  ...validateLabelSelector(term.labelSelector, `${path}.labelSelector`),
  ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
  ...(term.namespaces ?? []).flatMap((name) =>
    nameProblems(name, 'label').map((problem) => invalid(`${path}.namespace`, name, problem)),
  ),
  ...((term.topologyKey ?? '') === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
  ...validateLabelName(term.topologyKey ?? '', `${path}.topologyKey`),
]

const validatePodTerms = (affinity: PodAffinity, path: string): FieldError[] => [
  ...(affinity[REQUIRED] ?? []).flatMap((term, index) =>
    validatePodTerm(term, `${path}.${REQUIRED}[${index}]`),
  ),
  ...(affinity[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, index) => [
    ...validateWeight(weight, `${path}.${PREFERRED}[${index}]`),
    ...validatePodTerm(podAffinityTerm, `${path}.${PREFERRED}[${index}].podAffinityTerm`),
  ]),
]

export const validateAffinity = (affinity: Affinity | undefined, path: string): FieldError[] => {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {}
  const nodes = nodeAffinity?.[REQUIRED]
  return [
    ...(nodes === undefined ? [] : validateNodeSelector(nodes, `${path}.nodeAffinity.${REQUIRED}`)),
    ...(nodeAffinity?.[PREFERRED] ?? []).flatMap(({ weight, preference }, index) => [
      ...validateWeight(weight, `${path}.nodeAffinity.${PREFERRED}[${index}]`),
      ...validateTerm(preference ?? {}, false, `${path}.nodeAffinity.${PREFERRED}[${index}].preference`),
    ]),
    ...(podAffinity === undefined ? [] : validatePodTerms(podAffinity, `${path}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : validatePodTerms(podAntiAffinity, `${path}.podAntiAffinity`)),
  ]
}
