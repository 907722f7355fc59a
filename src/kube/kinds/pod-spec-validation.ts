/** Checks of a pod's spec, in pods and in templates. */
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  required,
  validateLabels,
} from '../meta/index.ts'
import { validateAffinity } from './affinity-validation.ts'
import {
  validateContainers,
  validateEphemeralContainers,
  validateImageSpace,
  validateInitContainers,
} from './container-validation.ts'
import { validateLabelName } from './label-selector-validation.ts'
import { validateAddress } from './network-values.ts'
import { validateGates, validateSpreading, validateTolerations } from './scheduling-validation.ts'
import { validatePodSecurity } from './security-context-validation.ts'
import { validateVolumes } from './volume-validation.ts'

const LARGEST_INT32 = 2 ** 31 - 1
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']

const validateOneOf = (value: string | undefined, values: readonly string[], field: string): FieldError[] => {
  if (value === undefined || value === '') return [required(field)]
  return values.includes(value) ? [] : [notSupported(field, value, values)]
}

const validateName = (name: string | undefined, rule: 'subdomain' | 'label', field: string): FieldError[] =>
  name === undefined || name === ''
    ? []
    : nameProblems(name, rule).map((problem) => invalid(field, name, problem))

const validateHostNetwork = (spec: PodSpec, isPod: boolean, field: string): FieldError[] => {
  if (spec.hostNetwork !== true) return []
  return (spec.containers ?? []).flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort = 0, containerPort }, index) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [
            invalid(
              `${field}.containers[${container}].ports[${index}].hostPort`,
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ]
        : [],
    ),
  )
}

const validateDns = ({ dnsConfig, dnsPolicy }: PodSpec, field: string): FieldError[] => {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {}
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    if (nameservers.length === 0)
      return [
        required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
      ]
  }
  return [
    ...(nameservers.length > 3
      ? [invalid(`${field}.nameservers`, nameservers, 'must not have more than 3 nameservers')]
      : []),
    ...nameservers.flatMap((address, index) => validateAddress(address, `${field}.nameservers[${index}]`)),
    ...(searches.length > 32
      ? [invalid(`${field}.searches`, searches, 'must not have more than 32 search paths')]
      : []),
    ...searches.flatMap((search, index) =>
      validateName(search.replace(/\.$/, ''), 'subdomain', `${field}.searches[${index}]`),
    ),
    ...options.flatMap(({ name }, index) =>
      (name ?? '') === '' ? [required(`${field}.options[${index}]`, 'must not be empty')] : [],
    ),
  ]
}

const validateDeadline = (seconds: number | undefined, field: string): FieldError[] =>
  seconds === undefined || (seconds >= 1 && seconds <= LARGEST_INT32)
    ? []
    : [invalid(field, seconds, `must be between 1 and ${LARGEST_INT32}, inclusive`)]

const validateHostAliases = (spec: PodSpec, field: string): FieldError[] =>
  (spec.hostAliases ?? []).flatMap(({ ip = '', hostnames = [] }, index) => [
    ...validateAddress(ip, `${field}[${index}].ip`),
    ...hostnames.flatMap((name, at) =>
      nameProblems(name, 'subdomain').map((problem) =>
        invalid(`${field}[${index}].hostnames[${at}]`, name, problem),
      ),
    ),
  ])

const validateSettings = (spec: PodSpec, field: string): FieldError[] => [
  ...validateOneOf(spec.restartPolicy, RESTART_POLICIES, `${field}.restartPolicy`),
  ...validateOneOf(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`),
  ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
  ...validatePodSecurity(spec, `${field}.securityContext`),
  ...validateAffinity(spec.affinity, `${field}.affinity`),
  ...validateDns(spec, `${field}.dnsConfig`),
  ...(spec.readinessGates ?? []).flatMap(({ conditionType = '' }, index) =>
    validateLabelName(conditionType, `${field}.readinessGates[${index}].conditionType`),
  ),
  ...validateGates(spec.schedulingGates ?? [], `${field}.schedulingGates`),
  ...validateSpreading(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`),
  ...validateName(spec.serviceAccountName, 'subdomain', `${field}.serviceAccountName`),
  ...validateName(spec.nodeName, 'subdomain', `${field}.nodeName`),
  ...validateDeadline(spec.activeDeadlineSeconds, `${field}.activeDeadlineSeconds`),
  ...validateName(spec.hostname, 'label', `${field}.hostname`),
  ...validateName(spec.subdomain, 'label', `${field}.subdomain`),
  ...validateTolerations(spec.tolerations ?? [], `${field}.tolerations`),
  ...validateHostAliases(spec, `${field}.hostAliases`),
  ...validateName(spec.priorityClassName, 'subdomain', `${field}.priorityClassName`),
  ...validateName(spec.runtimeClassName, 'subdomain', `${field}.runtimeClassName`),
  ...(spec.preemptionPolicy === undefined
    ? []
    : validateOneOf(spec.preemptionPolicy, ['PreemptLowerPriority', 'Never'], `${field}.preemptionPolicy`)),
]

export const validatePodSpec = (spec: PodSpec, isPod: boolean, field: string): FieldError[] => {
  const { errors, good: volumes } = validateVolumes(spec.volumes, `${field}.volumes`)
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name))
  const surroundings = { spec, volumes, claims }
  return [
    ...errors,
    ...validateContainers(surroundings, `${field}.containers`),
    ...validateInitContainers(surroundings, `${field}.initContainers`),
    ...validateEphemeralContainers(surroundings, `${field}.ephemeralContainers`),
    ...validateHostNetwork(spec, isPod, field),
    ...validateSettings(spec, field),
  ]
}

const validateTokenUse = (spec: PodSpec): FieldError[] =>
  spec.serviceAccountName
    ? []
    : (spec.volumes ?? []).flatMap(({ projected }, volume) =>
        (projected?.sources ?? []).flatMap(({ serviceAccountToken }, index) =>
          serviceAccountToken === undefined
            ? []
            : [
                forbiddenField(
                  `spec.volumes[${volume}].projected.sources[${index}].serviceAccountToken`,
                  'must not be specified when serviceAccountName is not set',
                ),
              ],
        ),
      )

/** What holds for the spec of a pod and is not asked of templates. */
export const validateOnlyInPod = (spec: PodSpec): FieldError[] => {
  const images = (list: 'containers' | 'initContainers'): FieldError[] =>
    (spec[list] ?? []).flatMap((container: Container, index) =>
      validateImageSpace(container, `spec.${list}[${index}]`),
    )
  return [...validateTokenUse(spec), ...images('containers'), ...images('initContainers')]
}
