/** Reads the query parameters of writes, and validates them as a real server does. */
import {
  type FieldError,
  forbiddenField,
  invalid,
  invalidObject,
  notSupported,
  required,
  tooLong,
} from '#platform/kube/meta'
import type { WriteContext } from '#platform/kube/resources'
import { type ApiCall, isTrue } from './api-call.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  dryRun: boolean
  manager: string
  validation: FieldValidation
  force: boolean
}

const OPTIONS_KINDS: Partial<Record<ApiCall['verb'], string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn']

const MAX_MANAGER_BYTES = 128
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

/** The default field manager is the program name of the user agent. */
const managerOf = (call: ApiCall): string =>
  call.query.get('fieldManager') ||
  call.userAgent.split('/', 1)[0]!.replace(UNPRINTABLE, '').slice(0, MAX_MANAGER_BYTES) ||
  'unknown'

const checkManager = (call: ApiCall): FieldError[] => {
  const manager = call.query.get('fieldManager')
  if (!manager)
    return call.patchType === 'apply' ? [required('fieldManager', 'is required for apply patch')] : []
  return [
    ...(Buffer.byteLength(manager) > MAX_MANAGER_BYTES ? [tooLong('fieldManager', MAX_MANAGER_BYTES)] : []),
    ...(PRINTABLE.test(manager)
      ? []
      : [invalid('fieldManager', manager, 'should only contain printable characters')]),
  ]
}

/** Validates the values of `dryRun`; the only one allowed is `All`. */
export const checkDryRun = (values: readonly string[]): FieldError[] =>
  values.every((value) => value === 'All')
    ? []
    : [
        notSupported(
          'dryRun',
          { go: `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}` },
          ['All'],
        ),
      ]

export const readWriteOptions = (call: ApiCall): WriteOptions => {
  const { query } = call
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  const validation = query.get('fieldValidation') || 'Warn'
  const force = call.verb === 'patch' && isTrue(query.get('force'))
  const errors = [
    ...(force && call.patchType !== 'apply'
      ? [forbiddenField('force', 'may not be specified for non-apply patch')]
      : []),
    ...checkManager(call),
    ...checkDryRun(dryRun),
    ...(VALIDATIONS.includes(validation) ? [] : [notSupported('fieldValidation', validation, VALIDATIONS)]),
  ]
  if (errors.length > 0) throw invalidObject('meta.k8s.io', OPTIONS_KINDS[call.verb] ?? '', '', errors)
  return {
    dryRun: dryRun.length > 0,
    manager: managerOf(call),
    validation: validation as FieldValidation,
    force,
  }
}

export const writeContext = (
  call: ApiCall,
  { manager, dryRun }: Pick<WriteOptions, 'manager' | 'dryRun'>,
): WriteContext => ({
  user: call.user,
  manager,
  dryRun,
  apiVersion: call.served.apiVersion,
  warn: (message) => {
    call.warnings.push(message)
  },
})
