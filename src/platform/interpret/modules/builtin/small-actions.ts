/** Small modules that run in Ansible's own process: fail, set_fact, pause, ping and set_stats. */
import { isIdentifier } from '../../load/keywords.ts'
import { pythonString } from '../../python/python-text.ts'
import { asBoolean } from '../../run/convert-field.ts'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import { checkArguments } from '../check-arguments.ts'
import { failAction, type Module, type Result } from '../module.ts'
import { toPythonTime } from './python-time.ts'

export const failModule: Module = {
  runsIn: 'ansible',
  async run({ args, action }): Promise<Result> {
    const unknown = Object.keys(args).filter((name) => name !== 'msg')
    if (unknown.length > 0) failAction(`Invalid options for ${action}: ${unknown.join(',')}`)
    return { failed: true, msg: 'msg' in args ? args.msg : 'Failed as requested from task' }
  },
}

const BOOLEAN_WORD = /^(?:true|false|yes|no)$/i

export const setFact: Module = {
  runsIn: 'ansible',
  async run({ args, rawArgs, templar }): Promise<Result> {
    const { cacheable = false, _raw_params, ...values } = args
    if (_raw_params !== undefined) throw new UnsupportedPlaybook('set_fact with free text')
    if (Object.keys(values).length === 0)
      failAction('No key/value pairs provided, at least one is required for this action to succeed')
    const facts: Record<string, unknown> = {}
    for (const [written, value] of Object.entries(values)) {
      const name = pythonString(templar.render(written))
      if (!isIdentifier(name))
        failAction(
          `The variable name '${name}' is not valid. Variables must start with a letter or underscore character, and contain only letters, numbers and underscores.`,
        )
      const isWord = typeof value === 'string' && BOOLEAN_WORD.test(value)
      // Parts that come from results of tasks must not be rendered again.
      const kept = written in rawArgs ? templar.renderVariable(rawArgs[written]) : value
      facts[name] = isWord ? asBoolean(value) : kept
    }
    return { ansible_facts: facts, ...(cacheable === false ? {} : { _ansible_facts_cacheable: true }) }
  },
}

export const pause: Module = {
  runsIn: 'ansible',
  async run({ args, taskName, pace, print }): Promise<Result> {
    const { minutes, seconds, echo, prompt } = checkArguments(
      'pause',
      {
        echo: { type: 'bool', default: true },
        minutes: { type: 'whole' },
        seconds: { type: 'whole' },
        prompt: {},
      },
      args,
      [['minutes', 'seconds']],
    )
    const start = pace.now()
    const total = minutes === null ? seconds : minutes * 60
    const hidden = echo ? '' : ' (output is hidden)'
    const question = prompt || 'Press enter to continue, Ctrl+C to interrupt'
    const text = `[${taskName.trim()}]\n${question}${hidden}:`
    if (total === null) print(text)
    else {
      const wait = Math.max(1, total)
      print(`Pausing for ${wait} seconds${hidden}`)
      print("(ctrl+C then 'C' = continue early, ctrl+C then 'A' = abort)\r")
      if (prompt) print(text)
      await pace.sleep(wait * 1000)
    }
    const elapsed = (pace.now() - start) / 1000
    const isInMinutes = minutes !== null || total === null
    const duration = Math.round((isInMinutes ? elapsed / 60 : elapsed) * 100) / 100
    return {
      changed: false,
      rc: 0,
      stderr: '',
      stdout: `Paused for ${Number.isInteger(duration) ? `${duration}.0` : duration} ${isInMinutes ? 'minutes' : 'seconds'}`,
      start: toPythonTime(start),
      stop: toPythonTime(pace.now()),
      delta: Math.trunc(elapsed),
      echo,
      user_input: '',
    }
  },
}

export const ping: Module = {
  runsIn: 'process',
  async run({ args, action }): Promise<Result> {
    const { data } = checkArguments(action, { data: { default: 'pong' } }, args)
    if (data === 'crash') throw new UnsupportedPlaybook('ping with data: crash')
    return { changed: false, ping: data }
  },
}
