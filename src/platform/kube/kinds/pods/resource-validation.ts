/** Validates the resource requests and limits of containers. */
import type { Container, ResourceRequirements } from 'kubernetes-types/core/v1.d.ts'
import {
  compareQuantities,
  type FieldError,
  forbiddenField,
  invalid,
  notFoundField,
  qualifiedNameProblems,
  quantityOrZero,
  required,
} from '#platform/kube/meta'

const CONTAINER_RESOURCES = ['cpu', 'memory', 'ephemeral-storage']
const QUOTA_RESOURCES = [
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ...['pods', 'services', 'replicationcontrollers', 'secrets', 'configmaps', 'persistentvolumeclaims'],
  ...['resourcequotas', 'storage', 'requests.storage', 'services.nodeports', 'services.loadbalancers'],
]

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isExtended = (name: string): boolean =>
  name.includes('/') && !name.split('/')[0]!.endsWith('kubernetes.io') && !name.startsWith('requests.')
const mayOvercommit = (name: string): boolean => !isHugePages(name) && !isExtended(name)

const validateName = (name: string, field: string): FieldError[] => {
  const malformed = qualifiedNameProblems(name).map((problem) => invalid(field, name, problem))
  if (name.includes('/')) {
    if (malformed.length > 0 || name.includes('kubernetes.io/') || isExtended(name)) return malformed
    return [invalid(field, name, "doesn't follow extended resource name standard")]
  }
  const known = isHugePages(name) || QUOTA_RESOURCES.includes(name)
  return [
    ...malformed,
    ...(malformed.length > 0 || known
      ? []
      : [invalid(field, name, 'must be a standard resource type or fully qualified')]),
    ...(isHugePages(name) || CONTAINER_RESOURCES.includes(name)
      ? []
      : [invalid(field, name, 'must be a standard resource for containers')]),
  ]
}

const validateAmount = (name: string, amount: string, field: string): FieldError[] => {
  const { nano } = quantityOrZero(amount)
  if (nano < 0n) return [invalid(field, amount, 'must be greater than or equal to 0')]
  return isExtended(name) && nano % 1_000_000_000n !== 0n
    ? [invalid(field, amount, 'must be an integer')]
    : []
}

const compareWithLimit = (
  name: string,
  amount: string,
  limit: string | undefined,
  field: string,
): FieldError[] => {
  if (limit === undefined) {
    return mayOvercommit(name)
      ? []
      : [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')]
  }
  const order = compareQuantities(amount, limit)
  const path = `${field}.requests`
  if (order !== 0 && !mayOvercommit(name))
    return [invalid(path, amount, `must be equal to ${name} limit of ${limit}`)]
  return order > 0 ? [invalid(path, amount, `must be less than or equal to ${name} limit of ${limit}`)] : []
}

const validateClaims = (
  claims: NonNullable<ResourceRequirements['claims']>,
  podClaims: ReadonlySet<string>,
  field: string,
): FieldError[] =>
  claims.flatMap(({ name }, index) => {
    if ((name ?? '') === '') return [required(`${field}[${index}]`)]
    return podClaims.has(name) ? [] : [notFoundField(`${field}[${index}]`, name)]
  })

export const validateResources = (
  { resources = {} }: Container,
  podClaims: ReadonlySet<string>,
  field: string,
): FieldError[] => {
  const { limits = {}, requests = {}, claims = [] } = resources
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  const hasOnlyHugePages =
    names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => [
      ...validateName(name, `${field}.limits[${name}]`),
      ...validateAmount(name, amount, `${field}.limits[${name}]`),
    ]),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...validateName(name, `${field}.requests[${name}]`),
      ...validateAmount(name, amount, `${field}.requests[${name}]`),
      ...compareWithLimit(name, amount, limits[name], field),
    ]),
    ...(hasOnlyHugePages ? [forbiddenField(field, 'HugePages require cpu or memory')] : []),
    ...validateClaims(claims, podClaims, `${field}.claims`),
  ]
}
