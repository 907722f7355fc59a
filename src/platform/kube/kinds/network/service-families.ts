/** Chooses and validates the IP families of a Service. The cluster has IPv4 only. */
import { isIPv6 } from 'node:net'
import type { ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import { duplicate, type FieldError, goStrings, invalid, notSupported, required } from '#platform/kube/meta'
import { isAddress } from '../validation/network-values.ts'

const FAMILIES = ['IPv4', 'IPv6']
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack']
const NOT_AN_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const POLICY_FIELD = 'spec.ipFamilyPolicy'

const familyOf = (address: string): string => (isIPv6(address) ? 'IPv6' : 'IPv4')

/** The endpoints of such a Service are created manually and may have any IP family. */
const isHeadlessWithoutSelector = ({ clusterIP, selector = {} }: ServiceSpec): boolean =>
  clusterIP === 'None' && Object.keys(selector).length === 0

/** Sets the policy and the families that the client omitted. */
export const chooseFamilies = (spec: ServiceSpec, old: ServiceSpec | undefined): void => {
  if (spec.type === 'ExternalName') return
  const hasManualEndpoints = isHeadlessWithoutSelector(spec)
  spec.ipFamilyPolicy ??= hasManualEndpoints ? 'RequireDualStack' : 'SingleStack'
  const { clusterIPs = [], ipFamilies = [] } = spec
  // Validation rejects an IPv6 address, so its family is not filled in.
  if (ipFamilies.length === 0 && (clusterIPs.length === 0 || !isIPv6(clusterIPs[0]!)))
    spec.ipFamilies = ['IPv4']
  else if (spec.ipFamilyPolicy === 'SingleStack' && deepEqual(ipFamilies, old?.ipFamilies))
    spec.ipFamilies = ipFamilies.slice(0, 1)
  if (!hasManualEndpoints || spec.ipFamilyPolicy === 'SingleStack' || spec.ipFamilies?.length !== 1) return
  // A client that removes a family must also change the policy; otherwise validation rejects the update.
  if ((old?.ipFamilies ?? []).length < 2)
    spec.ipFamilies = [...spec.ipFamilies, spec.ipFamilies[0] === 'IPv4' ? 'IPv6' : 'IPv4']
}

const validateMirror = ({ clusterIP = '', clusterIPs = [] }: ServiceSpec): FieldError[] => {
  if (clusterIP === '') {
    return clusterIPs.length === 0
      ? []
      : [invalid('spec.clusterIPs', goStrings(clusterIPs), 'must be empty when `clusterIP` is not specified')]
  }
  if (clusterIPs.length === 0) return [required('spec.clusterIPs')]
  return clusterIPs[0] === clusterIP
    ? []
    : [invalid('spec.clusterIPs', goStrings(clusterIPs), 'first value must match `clusterIP`')]
}

const validateClusterIps = ({ clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] => {
  const listError = (detail: string): FieldError => invalid('spec.clusterIPs', goStrings(clusterIPs), detail)
  const errors = clusterIPs.flatMap((address, index) => {
    if (index === 0 && address === 'None')
      return clusterIPs.length > 1 ? [listError("'None' must be the first and only value")] : []
    return isAddress(address) ? [] : [invalid(`spec.clusterIPs[${index}]`, address, NOT_AN_ADDRESS)]
  })
  if (errors.length > 0) return errors
  const families = clusterIPs.filter((address) => address !== 'None').map(familyOf)
  return [
    ...(families.length > 2 ? [listError('may only hold up to 2 values')] : []),
    ...(new Set(families).size < families.length
      ? [listError('may specify no more than one IP for each IP family')]
      : []),
    ...families.flatMap((family, index) => {
      const expected = ipFamilies[index]
      return expected === undefined || expected === family
        ? []
        : [
            invalid(
              `spec.clusterIPs[${index}]`,
              clusterIPs[index],
              `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``,
            ),
          ]
    }),
  ]
}

/** Checks each value, and that the values agree. */
const validateForm = (spec: ServiceSpec): FieldError[] => {
  const { ipFamilies = [], ipFamilyPolicy = '' } = spec
  return [
    ...validateMirror(spec),
    ...ipFamilies.flatMap((family, index) => [
      ...(FAMILIES.includes(family) ? [] : [notSupported(`spec.ipFamilies[${index}]`, family, FAMILIES)]),
      ...(ipFamilies.indexOf(family) < index ? [duplicate(`spec.ipFamilies[${index}]`, family)] : []),
    ]),
    ...(POLICIES.includes(ipFamilyPolicy) ? [] : [notSupported(POLICY_FIELD, ipFamilyPolicy, POLICIES)]),
    ...validateClusterIps(spec),
  ]
}

const validatePolicy = (spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] => {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec
  const toError = (detail: string): FieldError => invalid(POLICY_FIELD, ipFamilyPolicy, detail)
  const dualStackRule = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
  const isSingle = ipFamilyPolicy === 'SingleStack'
  return [
    ...(!isSingle && ipFamilies.length < (old?.ipFamilies ?? []).length
      ? [toError("must be 'SingleStack' to release the secondary IP family")]
      : []),
    ...(isSingle && clusterIPs.length === 2 ? [toError(`${dualStackRule} cluster IPs are specified`)] : []),
    ...(isSingle && ipFamilies.length === 2 ? [toError(`${dualStackRule} IP families are specified`)] : []),
    ...clusterIPs.flatMap((address, index) =>
      index >= ipFamilies.length && isIPv6(address)
        ? [
            invalid(
              `spec.clusterIPs[${index}]`,
              goStrings(clusterIPs),
              'IPv6 is not configured on this cluster',
            ),
          ]
        : [],
    ),
  ]
}

const validateConfiguredFamilies = (spec: ServiceSpec): FieldError[] => {
  if (isHeadlessWithoutSelector(spec)) return []
  const { ipFamilies = [], ipFamilyPolicy } = spec
  return [
    ...(ipFamilyPolicy === 'RequireDualStack'
      ? [invalid(POLICY_FIELD, ipFamilyPolicy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...ipFamilies.flatMap((family, index) =>
      family === 'IPv4'
        ? []
        : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ]
}

/** Validates in three steps and returns the errors of the first step that fails, as kube-apiserver does. */
export const validateFamilies = (spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] => {
  if (spec.type === 'ExternalName') return []
  const before = old?.type === 'ExternalName' ? undefined : old
  for (const step of [validateForm, validatePolicy, validateConfiguredFamilies]) {
    const errors = step(spec, before)
    if (errors.length > 0) return errors
  }
  return []
}
