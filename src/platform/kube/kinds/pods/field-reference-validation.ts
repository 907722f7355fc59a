/** Validates references to fields and resources of the pod, in environment variables and volumes. */
import type { ObjectFieldSelector, ResourceFieldSelector } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, notSupported, qualifiedNameProblems, required } from '#platform/kube/meta'

export const ENVIRONMENT_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
].sort()

export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

/** All field paths that exist. Environment variables and volumes each support a subset. */
const KNOWN_FIELDS = new Set([
  ...ENVIRONMENT_FIELDS,
  ...VOLUME_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])

const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

const BYTE_DIVISORS = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei'

export const validateFieldRef = (
  { apiVersion = '', fieldPath = '' }: ObjectFieldSelector,
  supported: readonly string[],
  field: string,
): FieldError[] => {
  if (apiVersion === '') return [required(`${field}.apiVersion`)]
  if (fieldPath === '') return [required(`${field}.fieldPath`)]
  const [, path = '', subscript] = /^(.*)\['(.*)'\]$/s.exec(fieldPath) ?? []
  if (subscript !== undefined) {
    if (path !== 'metadata.annotations' && path !== 'metadata.labels')
      return [
        invalid(
          `${field}.fieldPath`,
          fieldPath,
          `error converting fieldPath: field label does not support subscript: ${fieldPath}`,
        ),
      ]
    const key = path === 'metadata.annotations' ? subscript.toLowerCase() : subscript
    return qualifiedNameProblems(key).map((problem) => invalid(field, key, problem))
  }
  if (!KNOWN_FIELDS.has(fieldPath))
    return [
      invalid(
        `${field}.fieldPath`,
        fieldPath,
        `error converting fieldPath: field label not supported: ${fieldPath}`,
      ),
    ]
  return supported.includes(fieldPath) ? [] : [notSupported(`${field}.fieldPath`, fieldPath, supported)]
}

const validateDivisor = (resource: string, divisor: string, field: string): FieldError[] => {
  const reject = (allowed: string, resourceName: string): FieldError[] => [
    invalid(
      `${field}.divisor`,
      resource,
      `only divisor's values ${allowed} are supported with the ${resourceName} resource`,
    ),
  ]
  if (divisor === '0') return []
  if (resource.endsWith('.cpu')) return divisor === '1m' || divisor === '1' ? [] : reject('1m and 1', 'cpu')
  if (BYTE_DIVISORS.split(', ').includes(divisor)) return []
  if (resource.endsWith('.memory')) return reject(BYTE_DIVISORS, 'memory')
  if (resource.endsWith('.ephemeral-storage')) return reject(BYTE_DIVISORS, 'local ephemeral storage')
  return reject(BYTE_DIVISORS, 'hugepages')
}

export const validateResourceFieldRef = (
  { containerName = '', resource = '', divisor = '0' }: ResourceFieldSelector,
  inVolume: boolean,
  field: string,
): FieldError[] => {
  const errors: FieldError[] = []
  if (inVolume && containerName === '') errors.push(required(`${field}.containerName`))
  else if (resource === '') errors.push(required(`${field}.resource`))
  else if (!RESOURCES.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource))
    errors.push(notSupported(`${field}.resource`, resource, RESOURCES))
  return [...errors, ...validateDivisor(resource, divisor, field)]
}
