/** The modules command, shell and raw. */

import type { CommandOutcome } from '../../ports.ts'
import { pythonString } from '../../python/python-text.ts'
import { SplitError, splitWords } from '../../python/split-words.ts'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { fail, type Module, type ModuleCall, PythonError, type Result } from '../module.ts'
import { toPythonDuration, toPythonTime } from './python-time.ts'

const SPEC: ArgumentSpec = {
  _raw_params: {},
  _uses_shell: { type: 'bool', default: false },
  argv: { type: 'list', elements: 'str' },
  chdir: { type: 'path' },
  executable: {},
  creates: { type: 'path' },
  removes: { type: 'path' },
  stdin: {},
  stdin_add_newline: { type: 'bool', default: true },
  strip_empty_ends: { type: 'bool', default: true },
}

const SHELLS = new Set(['/bin/sh', '/bin/bash', '/usr/bin/bash', '/usr/bin/sh', 'bash', 'sh'])

const runCommand = async (
  { commands, pace }: ModuleCall,
  command: readonly string[] | string,
  stdin: string,
): Promise<CommandOutcome> => {
  if (commands === undefined) throw new UnsupportedPlaybook('commands')
  try {
    return await pace.race(commands.run({ command, stdin, signal: pace.signal }))
  } catch (error) {
    if (error instanceof Error && error.name === 'UnsupportedCommand')
      throw new UnsupportedPlaybook(`the command ${error.message}`)
    throw error
  }
}

const toWords = (text: string): string[] => {
  try {
    return splitWords(text)
  } catch (error) {
    if (error instanceof SplitError) throw new PythonError('ValueError', error.message)
    throw error
  }
}

/** A failure before the program starts, such as a file that does not exist. */
const EMPTY: Result = {
  changed: false,
  stdout: '',
  stderr: '',
  rc: null,
  cmd: null,
  start: null,
  end: null,
  delta: null,
  msg: '',
}

const strip = (text: string): string => text.replace(/[\r\n]+$/, '')

const createCommand = (usesShell: boolean): Module => ({
  runsIn: 'process',
  async run(call): Promise<Result> {
    const { args, pace, isCheckMode } = call
    const params = checkArguments('ansible.legacy.command', SPEC, { ...args, _uses_shell: usesShell })
    const { _raw_params: raw, argv, stdin } = params
    for (const name of ['chdir', 'creates', 'removes'])
      if (params[name] !== null) throw new UnsupportedPlaybook(`the option ${name} of ${call.action}`)
    if (usesShell && params.executable !== null && !SHELLS.has(params.executable))
      throw new UnsupportedPlaybook(`the shell ${params.executable}`)
    if ((raw === null || raw.trim() === '') && (argv === null || argv.length === 0))
      fail('no command given', { ...EMPTY, rc: 256 })
    if (raw !== null && raw !== '' && argv !== null && argv.length > 0)
      fail('only command or argv can be given, not both', { ...EMPTY, rc: 256 })
    const command: readonly string[] | string =
      raw === null || raw === '' ? argv.map(pythonString) : usesShell ? raw : toWords(raw)
    if (isCheckMode)
      return {
        ...EMPTY,
        rc: 0,
        cmd: command,
        msg: 'Command would have run if not in check mode',
        skipped: true,
      }
    const input = stdin === null ? '' : `${stdin}${params.stdin_add_newline ? '\n' : ''}`
    const start = pace.now()
    const { exitCode, stdout, stderr } = await runCommand(
      call,
      usesShell && Array.isArray(command) ? command.join(' ') : command,
      input,
    )
    const keep = params.strip_empty_ends ? strip : (text: string): string => text
    const result: Result = {
      changed: true,
      stdout: keep(stdout),
      stderr: keep(stderr),
      rc: exitCode,
      cmd: command,
      start: toPythonTime(start),
      end: toPythonTime(pace.now()),
      delta: toPythonDuration(pace.now() - start),
      msg: '',
    }
    return exitCode === 0 ? result : { ...result, failed: true, msg: 'non-zero return code' }
  },
})

export const command = createCommand(false)
export const shell = createCommand(true)

export const raw: Module = {
  runsIn: 'process',
  async run(call): Promise<Result> {
    if (call.isCheckMode) return { skipped: true }
    if (call.args.executable !== undefined) throw new UnsupportedPlaybook('the option executable of raw')
    const { exitCode, stdout, stderr } = await runCommand(call, pythonString(call.args._raw_params ?? ''), '')
    const result: Result = { changed: true, rc: exitCode, stdout, stderr }
    return exitCode === 0 ? result : { ...result, failed: true, msg: 'non-zero return code' }
  },
}
