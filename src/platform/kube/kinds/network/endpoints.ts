/** The Endpoints kind. */
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, nameProblems, required } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { validateEndpointAddress, validatePort, validateProtocol } from '../validation/network-values.ts'

const MAX_SHOWN = 3

const validateAddress = ({ ip = '', hostname = '' }: EndpointAddress, field: string): FieldError[] => [
  ...validateEndpointAddress(ip, `${field}.ip`),
  ...(hostname === ''
    ? []
    : nameProblems(hostname, 'label').map((problem) => invalid(`${field}.hostname`, hostname, problem))),
]

const validateSubsetPort = (
  { name = '', port, protocol = '' }: EndpointPort,
  isNameRequired: boolean,
  field: string,
): FieldError[] => [
  ...(name === ''
    ? isNameRequired
      ? [required(`${field}.name`)]
      : []
    : nameProblems(name, 'label').map((problem) => invalid(`${field}.name`, name, problem))),
  ...validatePort(port, `${field}.port`),
  ...validateProtocol(protocol, `${field}.protocol`),
]

const validateSubset = (subset: EndpointSubset, field: string): FieldError[] => {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset
  return [
    ...(addresses.length + notReadyAddresses.length === 0
      ? [required(field, 'must specify `addresses` or `notReadyAddresses`')]
      : []),
    ...addresses.flatMap((address, index) => validateAddress(address, `${field}.addresses[${index}]`)),
    ...notReadyAddresses.flatMap((address, index) =>
      validateAddress(address, `${field}.notReadyAddresses[${index}]`),
    ),
    ...ports.flatMap((port, index) => validateSubsetPort(port, ports.length > 1, `${field}.ports[${index}]`)),
  ]
}

const withPort = (ip: string, port: number): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`

const endpointsText = (subsets: readonly EndpointSubset[] = []): string => {
  if (subsets.length === 0) return '<none>'
  const texts = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => withPort(ip, port))),
  )
  const visible = texts.slice(0, MAX_SHOWN).join(',')
  return texts.length > MAX_SHOWN ? `${visible} + ${texts.length - MAX_SHOWN} more...` : visible
}

export const endpoints = defineKind<Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  namespaced: true,
  hasStatus: false,
  allowCreateOnUpdate: true,
  defaults: (draft) => {
    for (const subset of draft.subsets ?? []) {
      for (const port of subset.ports ?? []) port.protocol ??= 'TCP'
    }
  },
  validate: ({ subsets = [] }) =>
    subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
  columns: [
    nameColumn,
    textColumn(
      'Endpoints',
      'The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they share. A single address with multiple ports, some of which are ready and some of which are not (because they come from different containers) will result in the address being displayed in different subsets for the different ports. No address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.',
    ),
    ageColumn,
  ],
  row: (object, context) => [object.metadata.name, endpointsText(object.subsets), ageCell(object, context)],
})
