/** Validates the files of secret, configMap and downwardAPI volumes. */
import type { DownwardAPIVolumeFile, KeyToPath } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, invalid, required } from '#platform/kube/meta'
import { validateProjectedPath } from '../../validation/path-validation.ts'
import { VOLUME_FIELDS, validateFieldRef, validateResourceFieldRef } from '../field-reference-validation.ts'

export const validateMode = (mode: number | undefined, field: string): FieldError[] =>
  mode === undefined || (mode >= 0 && mode <= 0o777)
    ? []
    : [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]

export const validateItems = (items: readonly KeyToPath[] | undefined, field: string): FieldError[] =>
  (items ?? []).flatMap(({ key, path, mode }, index) => {
    const itemField = `${field}.items[${index}]`
    return [
      ...((key ?? '') === '' ? [required(`${itemField}.key`)] : []),
      ...((path ?? '') === '' ? [required(`${itemField}.path`)] : []),
      ...validateProjectedPath(path ?? '', `${itemField}.path`),
      ...validateMode(mode, `${itemField}.mode`),
    ]
  })

export const validateDownwardFile = (file: DownwardAPIVolumeFile, field: string): FieldError[] => {
  const { path = '', fieldRef, resourceFieldRef, mode } = file
  const errors: FieldError[] = path === '' ? [required(`${field}.path`)] : []
  errors.push(...validateProjectedPath(path, `${field}.path`))
  if (fieldRef !== undefined) {
    errors.push(...validateFieldRef(fieldRef, VOLUME_FIELDS, `${field}.fieldRef`))
    if (resourceFieldRef !== undefined)
      errors.push(
        invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
      )
  } else if (resourceFieldRef !== undefined) {
    errors.push(...validateResourceFieldRef(resourceFieldRef, true, `${field}.resourceFieldRef`))
  } else {
    errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'))
  }
  return [...errors, ...validateMode(mode, `${field}.mode`)]
}
