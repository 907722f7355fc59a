/** The module assert. */
import { AnsibleError } from '../../load/ansible-error.ts'
import { isTrue, pythonType } from '../../python/python-text.ts'
import { evaluateConditions } from '../../run/conditional.ts'
import { asBoolean } from '../../run/convert-field.ts'
import { failAction, type Module, type Result } from '../module.ts'

const OPTIONS = new Set(['fail_msg', 'msg', 'quiet', 'success_msg', 'that'])

const checkMessage = (value: unknown, name: string): void => {
  if (Array.isArray(value) && !value.every((item) => typeof item === 'string'))
    throw new AnsibleError(`Type of one of the elements in ${name} list is not string type`)
  if (!Array.isArray(value) && typeof value !== 'string')
    throw new AnsibleError(
      `Incorrect type for ${name}, expected a string or list and got ${pythonType(value)}`,
    )
}

export const assert: Module = {
  runsIn: 'ansible',
  async run({ args, rawArgs, templar, action }): Promise<Result> {
    const unknown = Object.keys(args).filter((name) => !OPTIONS.has(name))
    if (unknown.length > 0) failAction(`Invalid options for ${action}: ${unknown.join(',')}`)
    if (!('that' in args)) throw new AnsibleError('conditional required in "that" string')
    const failMessage = args.fail_msg ?? args.msg ?? 'Assertion failed'
    checkMessage(failMessage, 'fail_msg or msg')
    const successMessage = args.success_msg ?? 'All assertions passed'
    checkMessage(successMessage, 'success_msg')
    let conditions = 'that' in rawArgs ? rawArgs.that : args.that
    if (typeof conditions === 'string') conditions = templar.render(conditions)
    const shown = asBoolean(args.quiet ?? false) === true ? {} : { _ansible_verbose_always: true }
    for (const condition of Array.isArray(conditions) ? conditions : [conditions]) {
      const outcome = evaluateConditions([condition], templar)
      if (!isTrue(outcome))
        return { ...shown, failed: true, evaluated_to: outcome, assertion: condition, msg: failMessage }
    }
    return { ...shown, changed: false, msg: successMessage }
  },
}
