/** Validates the load balancer status of a Service. */
import type { LoadBalancerIngress, Service } from 'kubernetes-types/core/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  type Stored,
} from '#platform/kube/meta'
import { isAddress } from '../validation/network-values.ts'

const MODES = ['Proxy', 'VIP']

const validateMode = ({ ip = '', ipMode }: LoadBalancerIngress, field: string): FieldError[] => [
  ...(ipMode !== undefined && ip === ''
    ? [forbiddenField(field, 'may not be specified when `ip` is not set')]
    : []),
  ...(ipMode !== undefined && !MODES.includes(ipMode) ? [notSupported(field, ipMode, MODES)] : []),
]

const validateHost = ({ hostname = '' }: LoadBalancerIngress, field: string): FieldError[] =>
  hostname === ''
    ? []
    : [
        ...nameProblems(hostname, 'subdomain').map((problem) => invalid(field, hostname, problem)),
        ...(isAddress(hostname) ? [invalid(field, hostname, 'must be a DNS name, not an IP address')] : []),
      ]

export const validateBalancerStatus = ({ spec, status }: Stored<Service>): FieldError[] => {
  const field = 'status.loadBalancer.ingress'
  const points = status.loadBalancer?.ingress ?? []
  if (spec.type !== 'LoadBalancer' && points.length > 0)
    return [forbiddenField(field, 'may only be used when `spec.type` is LoadBalancer')]
  return points.flatMap((point, index) => {
    const { ip = '' } = point
    return [
      ...(ip === '' || isAddress(ip)
        ? []
        : [
            invalid(
              `${field}[${index}].ip`,
              ip,
              'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ),
          ]),
      ...validateMode(point, `${field}[${index}].ipMode`),
      ...validateHost(point, `${field}[${index}].hostname`),
    ]
  })
}
