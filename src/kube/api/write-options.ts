/** The query parameters of writes, checked the way the real server checks them. */
import { type FieldError, invalidObject, notSupported, required } from '../meta/index.ts'
import { type ApiCall, isTrue } from './api-call.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  dryRun: boolean
  manager: string
  validation: FieldValidation
  force: boolean
}

const OPTIONS_KIND: Partial<Record<ApiCall['verb'], string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
}

const MANAGER_LIMIT = 128

/** Without a name of its own, a manager is called after its program. */
const managerOf = (call: ApiCall): string =>
  call.query.get('fieldManager') || (call.userAgent.split('/')[0] ?? '').slice(0, MANAGER_LIMIT) || 'unknown'

export const readWriteOptions = (call: ApiCall): WriteOptions => {
  const { query } = call
  const errors: FieldError[] = []
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  if (dryRun.some((value) => value !== 'All')) {
    errors.push(
      notSupported('dryRun', { go: `[]string{${dryRun.map((one) => JSON.stringify(one)).join(', ')}}` }, [
        'All',
      ]),
    )
  }
  const validation = query.get('fieldValidation') || 'Warn'
  if (!['Ignore', 'Strict', 'Warn'].includes(validation)) {
    errors.push(notSupported('fieldValidation', validation, ['Ignore', 'Strict', 'Warn']))
  }
  const manager = query.get('fieldManager')
  if (manager !== null && manager.length > MANAGER_LIMIT) {
    errors.push({
      field: 'fieldManager',
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MANAGER_LIMIT} bytes`,
    })
  }
  if (call.patchType === 'apply' && !manager) {
    errors.push(required('fieldManager', 'is required for apply patch'))
  }
  const force = query.get('force')
  if (call.verb === 'patch' && call.patchType !== 'apply' && isTrue(force)) {
    errors.push({
      field: 'force',
      reason: 'FieldValueForbidden',
      message: 'Forbidden: may not be specified for non-apply patch',
    })
  }
  if (errors.length > 0)
    throw invalidObject('meta.k8s.io', OPTIONS_KIND[call.verb] ?? 'DeleteOptions', '', errors)
  return {
    dryRun: dryRun.length > 0,
    manager: managerOf(call),
    validation: validation as FieldValidation,
    force: isTrue(force),
  }
}
