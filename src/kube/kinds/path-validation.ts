/** Checks of paths inside volumes and on hosts. */
import { type FieldError, invalid } from '../meta/index.ts'

export const validateNoBacksteps = (path: string, field: string): FieldError[] =>
  path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : []

/** A path that stays below where it starts. */
export const validateDescendingPath = (path: string, field: string): FieldError[] => [
  ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
  ...validateNoBacksteps(path, field),
]

/** A file the kubelet writes: names that begin with two dots are its own. */
export const validateProjectedPath = (path: string, field: string): FieldError[] => [
  ...validateDescendingPath(path, field),
  ...(path.startsWith('..') && !path.startsWith('../')
    ? [invalid(field, path, "must not start with '..'")]
    : []),
]
