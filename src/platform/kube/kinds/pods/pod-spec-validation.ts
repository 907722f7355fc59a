/** Validates pod specs, in pods and in templates. */
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  required,
  validateLabels,
} from '#platform/kube/meta'
import { validateLabelName } from '../validation/label-selector-validation.ts'
import { validateAddress } from '../validation/network-values.ts'
import { validateAffinity } from './affinity-validation.ts'
import {
  validateContainers,
  validateEphemeralContainers,
  validateImageSpace,
  validateInitContainers,
} from './container-validation.ts'
import { validateGates, validateSpreading, validateTolerations } from './scheduling-validation.ts'
import { validatePodSecurity } from './security-context-validation.ts'
import { validateVolumes } from './volumes/volume-validation.ts'

const MAX_INT32 = 2 ** 31 - 1
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
  return (spec.containers ?? []).flatMap(({ ports = [] }, containerIndex) =>
    ports.flatMap(({ hostPort = 0, containerPort }, index) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [
            invalid(
              `${field}.containers[${containerIndex}].ports[${index}].hostPort`,
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
  seconds === undefined || (seconds >= 1 && seconds <= MAX_INT32)
    ? []
    : [invalid(field, seconds, `must be between 1 and ${MAX_INT32}, inclusive`)]

const validateHostAliases = (spec: PodSpec, field: string): FieldError[] =>
  (spec.hostAliases ?? []).flatMap(({ ip = '', hostnames = [] }, index) => [
    ...validateAddress(ip, `${field}[${index}].ip`),
    ...hostnames.flatMap((name, nameIndex) =>
      nameProblems(name, 'subdomain').map((problem) =>
        invalid(`${field}[${index}].hostnames[${nameIndex}]`, name, problem),
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
  const { errors, valid: volumes } = validateVolumes(spec.volumes, `${field}.volumes`)
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name))
  const context = { spec, volumes, claims }
  return [
    ...errors,
    ...validateContainers(context, `${field}.containers`),
    ...validateInitContainers(context, `${field}.initContainers`),
    ...validateEphemeralContainers(context, `${field}.ephemeralContainers`),
    ...validateHostNetwork(spec, isPod, field),
    ...validateSettings(spec, field),
  ]
}

const validateTokenUse = (spec: PodSpec): FieldError[] =>
  spec.serviceAccountName
    ? []
    : (spec.volumes ?? []).flatMap(({ projected }, volumeIndex) =>
        (projected?.sources ?? []).flatMap(({ serviceAccountToken }, index) =>
          serviceAccountToken === undefined
            ? []
            : [
                forbiddenField(
                  `spec.volumes[${volumeIndex}].projected.sources[${index}].serviceAccountToken`,
                  'must not be specified when serviceAccountName is not set',
                ),
              ],
        ),
      )

/** Validates the rules that apply to pods but not to templates. */
export const validateOnlyInPod = (spec: PodSpec): FieldError[] => {
  const validateImages = (list: 'containers' | 'initContainers'): FieldError[] =>
    (spec[list] ?? []).flatMap((container: Container, index) =>
      validateImageSpace(container, `spec.${list}[${index}]`),
    )
  return [...validateTokenUse(spec), ...validateImages('containers'), ...validateImages('initContainers')]
}
