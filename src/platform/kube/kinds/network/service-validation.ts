/** Validates Services. */
import type { Service, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  goStrings,
  invalid,
  nameProblems,
  notSupported,
  required,
  type Stored,
  validateLabels,
} from '#platform/kube/meta'
import { validateCidr, validateEndpointAddress } from '../validation/network-values.ts'
import { isExternallyAccessible } from './service-addresses.ts'
import { validateFamilies } from './service-families.ts'
import { validateDistinctPorts, validateServicePort } from './service-port-validation.ts'

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const AFFINITIES = ['ClientIP', 'None']
const POLICIES = ['Cluster', 'Local']
const KUBELET_PORT = 10_250
const NOT_EXTERNAL_NAME = 'may not be set for ExternalName services'

const isHeadless = ({ clusterIP, clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIP === 'None' || (clusterIPs.length === 1 && clusterIPs[0] === 'None')

const validateType = (spec: ServiceSpec): FieldError[] => {
  const { ports = [], clusterIPs = [], ipFamilies = [], ipFamilyPolicy, type = '' } = spec
  switch (type) {
    case 'LoadBalancer':
      return [
        ...ports.flatMap(({ port }, index) =>
          port === KUBELET_PORT
            ? [
                invalid(
                  `spec.ports[${index}]`,
                  port,
                  'may not expose port 10250 externally since it is used by kubelet',
                ),
              ]
            : [],
        ),
        ...(isHeadless(spec)
          ? [invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services")]
          : []),
      ]
    case 'NodePort':
      return isHeadless(spec)
        ? [invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for NodePort services")]
        : []
    case 'ExternalName': {
      const name = (spec.externalName ?? '').replace(/\.$/, '')
      return [
        ...(clusterIPs.length > 0 ? [forbiddenField('spec.clusterIPs', NOT_EXTERNAL_NAME)] : []),
        ...(ipFamilies.length > 0 ? [forbiddenField('spec.ipFamilies', NOT_EXTERNAL_NAME)] : []),
        ...(ipFamilyPolicy === undefined ? [] : [forbiddenField('spec.ipFamilyPolicy', NOT_EXTERNAL_NAME)]),
        ...(name === ''
          ? [required('spec.externalName')]
          : nameProblems(name, 'subdomain').map((problem) => invalid('spec.externalName', name, problem))),
      ]
    }
    default:
      return []
  }
}

const validatePorts = (spec: ServiceSpec): FieldError[] => {
  const { ports = [], type } = spec
  return [
    ...(ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...ports.flatMap((port, index) => validateServicePort(port, ports.length > 1, `spec.ports[${index}]`)),
    ...ports.flatMap(({ nodePort = 0 }, index) =>
      nodePort !== 0 && type === 'ClusterIP'
        ? [forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...validateDistinctPorts(ports),
  ]
}

const validateAffinity = ({ sessionAffinity = '', sessionAffinityConfig }: ServiceSpec): FieldError[] => {
  if (sessionAffinity === '') return [required('spec.sessionAffinity')]
  if (!AFFINITIES.includes(sessionAffinity)) {
    return [notSupported('spec.sessionAffinity', sessionAffinity, AFFINITIES)]
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds
  if (sessionAffinity !== 'ClientIP' || seconds === undefined) return []
  return seconds <= 0 || seconds > 86_400
    ? [
        invalid(
          'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
          seconds,
          'must be greater than 0 and less than 86400',
        ),
      ]
    : []
}

const validateTraffic = (spec: ServiceSpec): FieldError[] => {
  const { externalTrafficPolicy = '', internalTrafficPolicy } = spec
  const external = isExternallyAccessible(spec)
  const errors: FieldError[] = []
  if (externalTrafficPolicy !== '' && !external) {
    errors.push(
      invalid(
        'spec.externalTrafficPolicy',
        externalTrafficPolicy,
        'may only be set for externally-accessible services',
      ),
    )
  } else if (externalTrafficPolicy !== '' && !POLICIES.includes(externalTrafficPolicy)) {
    errors.push(notSupported('spec.externalTrafficPolicy', externalTrafficPolicy, POLICIES))
  }
  if (internalTrafficPolicy !== undefined && !POLICIES.includes(internalTrafficPolicy)) {
    errors.push(notSupported('spec.internalTrafficPolicy', internalTrafficPolicy, POLICIES))
  }
  if (spec.trafficDistribution !== undefined && spec.trafficDistribution !== 'PreferClose') {
    errors.push(notSupported('spec.trafficDistribution', spec.trafficDistribution, ['PreferClose']))
  }
  return errors
}

const validateBalancer = (spec: ServiceSpec): FieldError[] => {
  const { type, loadBalancerSourceRanges = [], allocateLoadBalancerNodePorts, loadBalancerClass } = spec
  const detail = "may only be used when `type` is 'LoadBalancer'"
  if (type === 'LoadBalancer') {
    return loadBalancerSourceRanges.flatMap((range, index) =>
      validateCidr(range.trim(), `spec.loadBalancerSourceRanges[${index}]`),
    )
  }
  return [
    ...(loadBalancerSourceRanges.length > 0 ? [forbiddenField('spec.LoadBalancerSourceRanges', detail)] : []),
    ...(allocateLoadBalancerNodePorts !== undefined
      ? [forbiddenField('spec.allocateLoadBalancerNodePorts', detail)]
      : []),
    ...(loadBalancerClass !== undefined ? [forbiddenField('spec.loadBalancerClass', detail)] : []),
  ]
}

const validateChange = (spec: ServiceSpec, old: ServiceSpec): FieldError[] => {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName' || (isHeadless(spec) && isHeadless(old))) {
    return []
  }
  const [addresses, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []]
  if (before.length > 0 && addresses.length === 0) {
    return [invalid('spec.clusterIPs[0]', goStrings(spec.clusterIPs), 'primary clusterIP can not be unset')]
  }
  return before.length > 0 && addresses[0] !== before[0]
    ? [invalid('spec.clusterIPs[0]', goStrings(addresses), 'may not change once set')]
    : []
}

export const validateService = (
  { spec }: Stored<Service>,
  old: Stored<Service> | undefined,
): FieldError[] => {
  const familyErrors = validateFamilies(spec, old?.spec)
  if (familyErrors.length > 0) return familyErrors
  const { externalIPs = [] } = spec
  return [
    ...(old === undefined ? [] : validateChange(spec, old.spec)),
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...validateAffinity(spec),
    ...(TYPES.includes(spec.type ?? '') ? [] : [notSupported('spec.type', spec.type, TYPES)]),
    ...externalIPs.flatMap((address, index) =>
      validateEndpointAddress(address, `spec.externalIPs[${index}]`),
    ),
    ...validateBalancer(spec),
    ...validateTraffic(spec),
  ]
}
