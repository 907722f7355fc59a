/** Runs a parsed script as /bin/sh does, with the programs that are modelled. */
import { sleep } from '#kit'
import type { CommandOptions, Program } from '../command-context.ts'
import { UnsupportedCommand } from '../unsupported-command.ts'
import { type Expansion, expandText, expandWord } from './expand-words.ts'
import type { AndOr, Command, Pipeline, Redirection, Script, SimpleCommand } from './script-tree.ts'

/** The end of the script by `exit`, or by `set -e`. */
class ShellExit extends Error {
  readonly code: number

  constructor(code: number) {
    super()
    this.code = code
  }
}

class LoopJump extends Error {
  readonly type: 'break' | 'continue'

  constructor(type: 'break' | 'continue') {
    super()
    this.type = type
  }
}

type Write = (text: string) => void

/** The streams of a command. The input is shared, so that `read` takes one line after the other. */
interface Streams {
  readonly input: { text: string }
  readonly out: Write
  readonly err: Write
}

export interface ScriptOptions extends CommandOptions {
  readonly signal: AbortSignal
  findProgram(name: string): Program
}

/** Commands that one script may run, so that an endless loop ends. */
const MAX_COMMANDS = 20_000

/** Variables of the environment, whose values are not modelled. */
const ENVIRONMENT = new Set([
  'HOME',
  'PATH',
  'PWD',
  'USER',
  'HOSTNAME',
  'KUBECONFIG',
  'SHELL',
  'TMPDIR',
  'IFS',
  'LANG',
])

const nowhere: Write = () => {}

export const createScriptRunner = (options: ScriptOptions) => {
  const variables = new Map<string, string>()
  let lastCode = 0
  let commands = 0
  let exitsOnError = false
  let usesPipefail = false
  /** Nesting of conditions, in which failures do not end the script. */
  let conditions = 0

  const sleepFor = async (milliseconds: number): Promise<void> => {
    options.signal.throwIfAborted()
    await sleep(options.clock, milliseconds)
    options.signal.throwIfAborted()
  }

  const expansionFor = (streams: Streams): Expansion => ({
    valueOf(name) {
      if (name === '?') return String(lastCode)
      if (name === '#') return '0'
      if (name === '@' || name === '*' || /^[1-9]$/.test(name)) return undefined
      if (!/^[A-Za-z_]/.test(name)) throw new UnsupportedCommand(`the parameter $${name}`)
      const value = variables.get(name)
      if (value === undefined && ENVIRONMENT.has(name)) throw new UnsupportedCommand(`the variable $${name}`)
      return value
    },
    async capture(script) {
      let text = ''
      const inner = { ...streams, out: (part: string) => (text += part) }
      lastCode = await runSubshell(script, inner)
      return text
    },
  })

  const redirect = async (
    redirections: readonly Redirection[],
    streams: Streams,
    expansion: Expansion,
  ): Promise<Streams> => {
    let { input, out, err } = streams
    for (const { from, to } of redirections) {
      if (to !== 'nowhere' && 'input' in to) input = { text: await expandText(to.input, expansion) }
      else {
        const target: Write = to === 'nowhere' ? nowhere : to.descriptor === 1 ? out : err
        if (from === 1) out = target
        else if (from === 2) err = target
        else throw new UnsupportedCommand(`the descriptor ${from} in a script`)
      }
    }
    return { input, out, err }
  }

  const setOptions = (args: readonly string[], streams: Streams): number => {
    for (let index = 0; index < args.length; index += 1) {
      const arg = args[index]!
      if (/^-[eu]+$/.test(arg)) exitsOnError ||= arg.includes('e')
      else if (arg === '+e') exitsOnError = false
      else if (/^-[eu]*o$/.test(arg) && args[index + 1] === 'pipefail') {
        // dash has no such option, and ends.
        streams.err('/bin/sh: 1: set: Illegal option -o pipefail\n')
        throw new ShellExit(2)
      } else throw new UnsupportedCommand(`set ${args.join(' ')}`)
    }
    return 0
  }

  const read = (names: readonly string[], streams: Streams): number => {
    const [first, ...others] = names.filter((name) => name !== '-r')
    if (first === undefined || names.some((name) => name.startsWith('-') && name !== '-r'))
      throw new UnsupportedCommand(`read ${names.join(' ')}`)
    const { input } = streams
    const end = input.text.indexOf('\n')
    const isWhole = end >= 0
    const line = isWhole ? input.text.slice(0, end) : input.text
    input.text = isWhole ? input.text.slice(end + 1) : ''
    let rest = line.replace(/^[ \t]+|[ \t]+$/g, '')
    for (const [index, name] of [first, ...others].entries()) {
      if (index === others.length) variables.set(name, rest)
      else {
        const [, word = '', tail = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? []
        variables.set(name, word)
        rest = tail
      }
    }
    return isWhole ? 0 : 1
  }

  const exitCode = (args: readonly string[]): number => {
    const [code = String(lastCode)] = args
    if (!/^\d+$/.test(code)) throw new UnsupportedCommand(`exit ${code}`)
    return Number(code) & 0xff
  }

  const runBuiltIn = async (
    name: string,
    args: readonly string[],
    streams: Streams,
  ): Promise<number | undefined> => {
    switch (name) {
      case ':':
        return 0
      case 'exit':
        throw new ShellExit(exitCode(args))
      case 'set':
        return setOptions(args, streams)
      case 'read':
        return read(args, streams)
      case 'break':
      case 'continue':
        if (args.length > 0) throw new UnsupportedCommand(`${name} ${args.join(' ')}`)
        throw new LoopJump(name)
      case 'export':
        for (const arg of args) {
          const [, variable, value] = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/.exec(arg) ?? []
          if (variable === undefined || /^KUBE/.test(variable)) throw new UnsupportedCommand(`export ${arg}`)
          if (value !== undefined) variables.set(variable, value)
        }
        return 0
      default:
        return undefined
    }
  }

  const runSimple = async (command: SimpleCommand, streams: Streams): Promise<number> => {
    commands += 1
    if (commands > MAX_COMMANDS)
      throw new UnsupportedCommand(`a script of more than ${MAX_COMMANDS} commands`)
    options.signal.throwIfAborted()
    const expansion = expansionFor(streams)
    lastCode = 0
    const words: string[] = []
    for (const word of command.words) words.push(...(await expandWord(word, expansion)))
    const redirected = await redirect(command.redirections, streams, expansion)
    const values: [string, string][] = []
    for (const { name, value } of command.assignments) values.push([name, await expandText(value, expansion)])
    const [name, ...args] = words
    if (name === undefined) {
      for (const [variable, value] of values) variables.set(variable, value)
      return lastCode
    }
    if (values.length > 0) throw new UnsupportedCommand(`the variable ${values[0]![0]} for one command`)
    const code = await runBuiltIn(name, args, redirected)
    if (code !== undefined) return code
    const { input, out, err } = redirected
    const stdin = input.text
    const { api, discovery, clock, namespace, signal } = options
    const program = options.findProgram(name)
    const result = await program({
      api,
      discovery,
      clock,
      namespace,
      signal,
      args,
      // Programs that read their input are rare; those that do not must leave it for `read`.
      get stdin() {
        input.text = ''
        return stdin
      },
      out,
      err,
      sleep: sleepFor,
    })
    return result
  }

  const isTrue = async (script: Script, streams: Streams): Promise<boolean> => {
    conditions += 1
    try {
      return (await runList(script, streams)) === 0
    } finally {
      conditions -= 1
    }
  }

  /** Runs the body of a loop once; returns whether the loop goes on. */
  const runBody = async (body: Script, streams: Streams, keep: (code: number) => void): Promise<boolean> => {
    try {
      keep(await runList(body, streams))
      return true
    } catch (error) {
      if (!(error instanceof LoopJump)) throw error
      return error.type === 'continue'
    }
  }

  const runCompound = async (command: Exclude<Command, SimpleCommand>, outer: Streams): Promise<number> => {
    const streams = await redirect(command.redirections, outer, expansionFor(outer))
    let code = 0
    const keep = (result: number): void => {
      code = result
    }
    switch (command.type) {
      case 'group':
        return runList(command.body, streams)
      case 'subshell':
        return runSubshell(command.body, streams)
      case 'if':
        for (const { condition, body } of command.branches)
          if (await isTrue(condition, streams)) return runList(body, streams)
        return command.otherwise === undefined ? 0 : runList(command.otherwise, streams)
      case 'for': {
        const values: string[] = []
        for (const word of command.words) values.push(...(await expandWord(word, expansionFor(streams))))
        for (const value of values) {
          variables.set(command.variable, value)
          if (!(await runBody(command.body, streams, keep))) break
        }
        return code
      }
      default:
        while ((await isTrue(command.condition, streams)) === (command.type === 'while'))
          if (!(await runBody(command.body, streams, keep))) break
        return code
    }
  }

  const runCommand = (command: Command, streams: Streams): Promise<number> =>
    command.type === 'simple' ? runSimple(command, streams) : runCompound(command, streams)

  /** Changes of variables and options do not leave a subshell. */
  const runSubshell = async (script: Script, streams: Streams): Promise<number> => {
    const saved = new Map(variables)
    const savedExits = exitsOnError
    try {
      return await runList(script, streams)
    } catch (error) {
      if (error instanceof ShellExit) return error.code
      throw error
    } finally {
      variables.clear()
      for (const [name, value] of saved) variables.set(name, value)
      exitsOnError = savedExits
    }
  }

  const runPipeline = async ({ commands: parts, isNegated }: Pipeline, streams: Streams): Promise<number> => {
    let code = 0
    if (parts.length === 1) code = await runCommand(parts[0]!, streams)
    else {
      let { input } = streams
      let failed = 0
      for (const [index, part] of parts.entries()) {
        let text = ''
        const isLast = index === parts.length - 1
        const out: Write = isLast ? streams.out : (chunk) => (text += chunk)
        code = await runSubshell([{ first: { isNegated: false, commands: [part] }, rest: [] }], {
          input,
          out,
          err: streams.err,
        })
        if (code !== 0) failed = code
        input = { text }
      }
      if (usesPipefail) code = failed
    }
    return isNegated ? Number(code === 0) : code
  }

  const runAndOr = async ({ first, rest }: AndOr, streams: Streams): Promise<number> => {
    const runPart = async (pipeline: Pipeline, isLast: boolean): Promise<number> => {
      const isCondition = !isLast || pipeline.isNegated
      if (isCondition) conditions += 1
      try {
        lastCode = await runPipeline(pipeline, streams)
      } finally {
        if (isCondition) conditions -= 1
      }
      if (lastCode !== 0 && exitsOnError && conditions === 0 && !isCondition) throw new ShellExit(lastCode)
      return lastCode
    }
    let code = await runPart(first, rest.length === 0)
    for (const [index, { operator, pipeline }] of rest.entries())
      if ((code === 0) === (operator === '&&')) code = await runPart(pipeline, index === rest.length - 1)
    return code
  }

  const runList = async (script: Script, streams: Streams): Promise<number> => {
    let code = 0
    for (const part of script) code = await runAndOr(part, streams)
    return code
  }

  return {
    usePipefail(): void {
      usesPipefail = true
    },
    async run(script: Script, stdin: string, out: Write, err: Write): Promise<number> {
      try {
        return await runList(script, { input: { text: stdin }, out, err })
      } catch (error) {
        if (error instanceof ShellExit) return error.code
        throw error
      }
    },
  }
}
