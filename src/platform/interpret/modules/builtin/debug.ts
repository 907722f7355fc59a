/** The module debug. */
import { UndefinedVariable } from '../../load/ansible-error.ts'
import { isEqual, pythonType } from '../../python/python-text.ts'
import { failAction, type Module, type ModuleCall, type Result } from '../module.ts'

const OPTIONS = new Set(['msg', 'var', 'verbosity'])

const shownValue = ({ args, templar }: ModuleCall): unknown => {
  const { var: name } = args
  try {
    if (typeof name !== 'string') return name
    const plain = templar.renderBare(name)
    return isEqual(plain, name) ? templar.render(`{{${name}}}`) : plain
  } catch (error) {
    if (error instanceof UndefinedVariable) return 'VARIABLE IS NOT DEFINED!'
    throw error
  }
}

export const debug: Module = {
  runsIn: 'ansible',
  async run(call): Promise<Result> {
    const { args } = call
    if ('msg' in args && 'var' in args)
      return { failed: true, msg: "'msg' and 'var' are incompatible options" }
    const unknown = Object.keys(args).filter((name) => !OPTIONS.has(name))
    if (unknown.length > 0) failAction(`Invalid options for ${call.action}: ${unknown.join(',')}`)
    if (Number(args.verbosity ?? 0) > 0)
      return { skipped_reason: 'Verbosity threshold not met.', skipped: true, failed: false }
    const shown = { _ansible_verbose_always: true, failed: false }
    if ('msg' in args) return { ...shown, msg: args.msg }
    if (!('var' in args)) return { ...shown, msg: 'Hello world!' }
    const key = typeof args.var === 'object' ? pythonType(args.var) : String(args.var)
    return { ...shown, [key]: shownValue(call) }
  },
}
