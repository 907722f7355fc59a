/** Validates projected volumes. */
import type { ProjectedVolumeSource, VolumeProjection } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, forbiddenField, invalid, required } from '#platform/kube/meta'
import { validateProjectedPath } from '../../validation/path-validation.ts'
import { validateDownwardFile, validateItems, validateMode } from './volume-file-validation.ts'

type TokenProjection = NonNullable<VolumeProjection['serviceAccountToken']>

const validateToken = (token: TokenProjection, field: string): FieldError[] => {
  const { expirationSeconds: seconds = 3600, path = '' } = token
  const errors: FieldError[] = []
  if (seconds < 600)
    errors.push(
      invalid(`${field}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'),
    )
  if (seconds > 2 ** 32)
    errors.push(
      invalid(`${field}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'),
    )
  if (path === '') errors.push(required(`${field}.path`))
  return [...errors, ...validateProjectedPath(path, `${field}.path`)]
}

const validateKeySource = (
  source: { name?: string; items?: { key: string; path: string; mode?: number }[] },
  field: string,
): FieldError[] => [
  ...((source.name ?? '') === '' ? [required(`${field}.name`)] : []),
  ...validateItems(source.items, field),
]

const pathsOf = ({ secret, configMap, downwardAPI, serviceAccountToken }: VolumeProjection): string[] => [
  ...(secret?.items ?? []).map(({ path }) => path),
  ...(configMap?.items ?? []).map(({ path }) => path),
  ...(downwardAPI?.items ?? []).map(({ path }) => path),
  ...(serviceAccountToken === undefined ? [] : [serviceAccountToken.path]),
]

const validateSource = (source: VolumeProjection, field: string): FieldError[] => {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source
  const checks: [string, unknown, () => FieldError[]][] = [
    ['secret', secret, () => validateKeySource(secret!, `${field}.secret`)],
    ['configMap', configMap, () => validateKeySource(configMap!, `${field}.configMap`)],
    [
      'downwardAPI',
      downwardAPI,
      () => (downwardAPI!.items ?? []).flatMap((file) => validateDownwardFile(file, `${field}.downwardAPI`)),
    ],
    [
      'serviceAccountToken',
      serviceAccountToken,
      () => validateToken(serviceAccountToken!, `${field}.serviceAccountToken`),
    ],
    ['clusterTrustBundle', source.clusterTrustBundle, () => []],
  ]
  const specified = checks.filter(([, projection]) => projection !== undefined)
  return specified.flatMap(([type, , check], index) =>
    index === 0 ? check() : [forbiddenField(`${field}.${type}`, 'may not specify more than 1 volume type')],
  )
}

export const validateProjected = (projected: ProjectedVolumeSource, field: string): FieldError[] => {
  const seen = new Set<string>()
  const sources = projected.sources ?? []
  return [
    ...validateMode(projected.defaultMode, `${field}.defaultMode`),
    ...sources.flatMap((source, index) => {
      const sourceField = `${field}.sources[${index}]`
      const repeated = pathsOf(source).filter((path) => path !== '' && seen.has(path))
      for (const path of pathsOf(source)) seen.add(path)
      return [
        ...validateSource(source, sourceField),
        ...repeated.map((path) => invalid(field, path, 'conflicting duplicate paths')),
      ]
    }),
  ]
}
