/** Endpoints. */
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, nameProblems, required } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { validateEndpointAddress, validatePort, validateProtocol } from './network-values.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'

const SHOWN = 3

const validateAddress = ({ ip = '', hostname = '' }: EndpointAddress, field: string): FieldError[] => [
  ...validateEndpointAddress(ip, `${field}.ip`),
  ...(hostname === ''
    ? []
    : nameProblems(hostname, 'label').map((problem) => invalid(`${field}.hostname`, hostname, problem))),
]

const validateSubsetPort = (
  { name = '', port, protocol = '' }: EndpointPort,
  named: boolean,
  field: string,
): FieldError[] => [
  ...(name === ''
    ? named
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
    ...addresses.flatMap((one, index) => validateAddress(one, `${field}.addresses[${index}]`)),
    ...notReadyAddresses.flatMap((one, index) =>
      validateAddress(one, `${field}.notReadyAddresses[${index}]`),
    ),
    ...ports.flatMap((port, index) => validateSubsetPort(port, ports.length > 1, `${field}.ports[${index}]`)),
  ]
}

const withPort = (ip: string, port: number): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`

const endpointsText = (subsets: readonly EndpointSubset[] = []): string => {
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => withPort(ip, port))),
  )
  const shown = all.slice(0, SHOWN).join(',')
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown
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
  createOnUpdate: true,
  defaults: (draft) => {
    for (const subset of draft.subsets ?? []) {
      for (const port of subset.ports ?? []) port.protocol ??= 'TCP'
    }
  },
  validate: ({ subsets = [] }) =>
    subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`)),
  columns: [nameColumn, textColumn('Endpoints', 'Addresses and ports that are ready.'), ageColumn],
  row: (object, context) => [object.metadata.name, endpointsText(object.subsets), ageCell(object, context)],
})
