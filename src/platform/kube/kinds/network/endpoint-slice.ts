/** The EndpointSlice kind. */
import { isIP } from 'node:net'
import type { Endpoint, EndpointPort, EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import {
  duplicate,
  type FieldError,
  invalid,
  nameProblems,
  notSupported,
  required,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { validateEndpointAddress, validateProtocol } from '../validation/network-values.ts'

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6']
const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_SHOWN = 3

const validateAddress = (address: string, type: string, field: string): FieldError[] => {
  switch (type) {
    case 'IPv4':
      return isIP(address) === 4
        ? validateEndpointAddress(address, field)
        : [invalid(field, address, 'must be a valid IPv4 address')]
    case 'IPv6':
      return isIP(address) === 6
        ? validateEndpointAddress(address, field)
        : [invalid(field, address, 'must be a valid IPv6 address')]
    case 'FQDN':
      return nameProblems(address, 'subdomain').map((problem) => invalid(field, address, problem))
    default:
      return []
  }
}

const validateCount = (field: string, count: number, limit: number): FieldError[] =>
  count > limit
    ? [
        {
          field,
          reason: 'FieldValueTooMany',
          message: `Too many: ${count}: must have at most ${limit} items`,
        },
      ]
    : []

const validateEndpoint = (endpoint: Endpoint, type: string, field: string): FieldError[] => {
  const addresses = endpoint.addresses ?? []
  return [
    ...(addresses.length === 0 ? [required(`${field}.addresses`, 'must contain at least 1 address')] : []),
    ...validateCount(`${field}.addresses`, addresses.length, MAX_ADDRESSES),
    ...addresses.flatMap((address, index) => validateAddress(address, type, `${field}.addresses[${index}]`)),
    ...(endpoint.hostname === undefined
      ? []
      : nameProblems(endpoint.hostname, 'label').map((problem) =>
          invalid(`${field}.hostname`, endpoint.hostname, problem),
        )),
  ]
}

const validatePorts = (ports: readonly EndpointPort[]): FieldError[] => {
  const names = new Set<string>()
  return ports.flatMap(({ name = '', protocol = '' }, index) => {
    const field = `ports[${index}]`
    const errors =
      name === '' ? [] : nameProblems(name, 'label').map((problem) => invalid(`${field}.name`, name, problem))
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name))
    names.add(name)
    return [...errors, ...validateProtocol(protocol, `${field}.protocol`)]
  })
}

const listText = (items: readonly string[]): string => {
  const visible = items.slice(0, MAX_SHOWN).join(',')
  if (items.length > MAX_SHOWN) return `${visible} + ${items.length - MAX_SHOWN} more...`
  return visible === '' ? '<unset>' : visible
}

const portText = ({ port, name }: EndpointPort): string => (port === undefined ? (name ?? '*') : String(port))

export const endpointSlices = defineKind<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  singular: 'endpointslice',
  namespaced: true,
  hasStatus: false,
  hasGeneration: true,
  defaults: (draft) => {
    for (const port of draft.ports ?? []) {
      port.name ??= ''
      port.protocol ??= 'TCP'
    }
  },
  validate: (slice, old) => [
    ...((slice.addressType ?? '') === ''
      ? [required('addressType')]
      : ADDRESS_TYPES.includes(slice.addressType)
        ? []
        : [notSupported('addressType', slice.addressType, ADDRESS_TYPES)]),
    ...validateCount('endpoints', slice.endpoints?.length ?? 0, MAX_ENDPOINTS),
    ...(slice.endpoints ?? []).flatMap((endpoint, index) =>
      validateEndpoint(endpoint, slice.addressType, `endpoints[${index}]`),
    ),
    ...validatePorts(slice.ports ?? []),
    ...(old !== undefined && old.addressType !== slice.addressType
      ? [invalid('addressType', slice.addressType, 'field is immutable')]
      : []),
  ],
  columns: [
    nameColumn,
    textColumn(
      'AddressType',
      'addressType specifies the type of address carried by this EndpointSlice. All addresses in this slice must be the same type. This field is immutable after creation. The following address types are currently supported: * IPv4: Represents an IPv4 Address. * IPv6: Represents an IPv6 Address. * FQDN: Represents a Fully Qualified Domain Name.',
    ),
    textColumn(
      'Ports',
      'ports specifies the list of network ports exposed by each endpoint in this slice. Each port must have a unique name. When ports is empty, it indicates that there are no defined ports. When a port is defined with a nil port value, it indicates "all ports". Each slice may include a maximum of 100 ports.',
    ),
    textColumn(
      'Endpoints',
      'endpoints is a list of unique endpoints in this slice. Each slice may include a maximum of 1000 endpoints.',
    ),
    ageColumn,
  ],
  row: (slice, context) => [
    slice.metadata.name,
    slice.addressType,
    listText((slice.ports ?? []).map(portText)),
    listText((slice.endpoints ?? []).flatMap(({ addresses }) => addresses)),
    ageCell(slice, context),
  ],
})
