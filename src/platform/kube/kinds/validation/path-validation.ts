/** Validates paths inside volumes and on hosts. */
import { type FieldError, invalid } from '#platform/kube/meta'

export const validateNoBacksteps = (path: string, field: string): FieldError[] =>
  path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : []

/** Requires a relative path without `..`. */
export const validateDescendingPath = (path: string, field: string): FieldError[] => [
  ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
  ...validateNoBacksteps(path, field),
]

/**
 * Validates the path of a projected file. The kubelet reserves names that start with two dots. A leading `../` is
 * reported once, as a `..` element.
 */
export const validateProjectedPath = (path: string, field: string): FieldError[] => [
  ...validateDescendingPath(path, field),
  ...(path.startsWith('..') && !path.startsWith('../')
    ? [invalid(field, path, "must not start with '..'")]
    : []),
]
