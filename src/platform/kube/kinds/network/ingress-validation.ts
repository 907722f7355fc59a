/** Validates Ingresses. */
import { isIP } from 'node:net'
import type { HTTPIngressPath, Ingress, IngressBackend } from 'kubernetes-types/networking/v1.d.ts'
import {
  type FieldError,
  invalid,
  nameProblems,
  notSupported,
  required,
  type Stored,
} from '#platform/kube/meta'
import { portNameProblems, validatePort, wildcardProblems } from '../validation/network-values.ts'

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']
const FORBIDDEN_PARTS = ['//', '/./', '/../', '%2f', '%2F']
const FORBIDDEN_ENDS = ['/..', '/.']

const validateServiceBackend = (
  { name = '', port }: NonNullable<IngressBackend['service']>,
  field: string,
): FieldError[] => {
  const { name: portName = '', number = 0 } = port ?? {}
  const errors =
    name === ''
      ? [required(`${field}.service.name`)]
      : nameProblems(name, 'label-1035').map((problem) => invalid(`${field}.service.name`, name, problem))
  if (portName !== '' && number !== 0) {
    return [...errors, invalid(field, '', 'cannot set both port name & port number')]
  }
  if (portName !== '') {
    const path = `${field}.service.port.name`
    return [...errors, ...portNameProblems(portName).map((problem) => invalid(path, portName, problem))]
  }
  return number === 0
    ? [...errors, required(field, 'port name or number is required')]
    : [...errors, ...validatePort(number, `${field}.service.port.number`)]
}

const validateBackend = ({ service, resource }: IngressBackend, field: string): FieldError[] => {
  if (service !== undefined && resource !== undefined) {
    return [invalid(field, '', 'cannot set both resource and service backends')]
  }
  if (service !== undefined) return validateServiceBackend(service, field)
  if (resource === undefined) return [invalid(field, '', 'resource or service backend is required')]
  return [
    ...((resource.kind ?? '') === '' ? [required(`${field}.resource.kind`)] : []),
    ...((resource.name ?? '') === '' ? [required(`${field}.resource.name`)] : []),
  ]
}

const validatePathText = ({ path = '', pathType }: HTTPIngressPath, field: string): FieldError[] => {
  const pathErrors = path.startsWith('/') ? [] : [invalid(`${field}.path`, path, 'must be an absolute path')]
  switch (pathType) {
    case 'Exact':
    case 'Prefix':
      return [
        ...pathErrors,
        ...FORBIDDEN_PARTS.filter((part) => path.includes(part)).map((part) =>
          invalid(`${field}.path`, path, `must not contain '${part}'`),
        ),
        ...FORBIDDEN_ENDS.filter((end) => path.endsWith(end)).map((end) =>
          invalid(`${field}.path`, path, `cannot end with '${end}'`),
        ),
      ]
    case 'ImplementationSpecific':
      return path === '' ? [] : pathErrors
    case undefined:
      return [required(`${field}.pathType`, 'pathType must be specified')]
    default:
      return [notSupported(`${field}.pathType`, pathType, PATH_TYPES)]
  }
}

const validateHost = (host: string, field: string): FieldError[] => {
  if (host === '') return []
  if (isIP(host) !== 0) return [invalid(field, host, 'must be a DNS name, not an IP address')]
  const problems = host.includes('*') ? wildcardProblems(host) : nameProblems(host, 'subdomain')
  return problems.map((problem) => invalid(field, host, problem))
}

const validatePaths = (paths: readonly HTTPIngressPath[], field: string): FieldError[] =>
  paths.length === 0
    ? [required(field)]
    : paths.flatMap((path, index) => [
        ...validatePathText(path, `${field}[${index}]`),
        ...validateBackend(path.backend ?? {}, `${field}[${index}].backend`),
      ])

export const validateIngress = ({ spec }: Stored<Ingress>): FieldError[] => {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec
  return [
    ...(rules.length === 0 && defaultBackend === undefined
      ? [
          invalid(
            'spec',
            { go: '[]networking.IngressRule(nil)' },
            'either `defaultBackend` or `rules` must be specified',
          ),
        ]
      : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, 'spec.defaultBackend')),
    ...rules.flatMap(({ host = '', http }, index) => [
      ...validateHost(host, `spec.rules[${index}].host`),
      ...(http === undefined ? [] : validatePaths(http.paths ?? [], `spec.rules[${index}].http.paths`)),
    ]),
    ...tls.flatMap(({ hosts = [] }, index) =>
      hosts.flatMap((host, position) => validateHost(host, `spec.tls[${index}].hosts[${position}]`)),
    ),
    ...(ingressClassName === undefined
      ? []
      : nameProblems(ingressClassName, 'subdomain').map((problem) =>
          invalid('spec.ingressClassName', ingressClassName, problem),
        )),
  ]
}
