/** Runs a command line: finds the command, parses its arguments, prints its result or its error. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findNearestName, REPOSITORY } from '#kit'
import { escapeInvisible } from '#lab/text'
import { RemediumError, toRemediumError } from '#spec'
import { listCommandNames, loadCommand } from './command-registry.ts'
import type { Command, CommandContext } from './define-command.ts'
import { commandHelp, commandListHelp } from './help.ts'
import { COMMON_OPTIONS, parseOptions, toUnknownOptionError } from './parse-options.ts'

export interface Output {
  out(text: string): void
  err(text: string): void
}

const toJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

const readVersion = (): string => JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')).version

const showVersion = (json: boolean, { out }: Output): number => {
  const version = readVersion()
  out(
    json
      ? toJson({ version, node: process.versions.node })
      : `remedium ${version} (Node.js ${process.versions.node})\n`,
  )
  return 0
}

const showCommands = async (group: string, json: boolean, { out }: Output): Promise<number> => {
  const names = listCommandNames().filter((name) => group === '' || name.startsWith(`${group} `))
  const commands = await Promise.all(names.map(async (name) => ({ name, command: await loadCommand(name) })))
  const summaries = commands.map(({ name, command }) => ({ name, summary: command.summary }))
  out(json ? toJson({ commands: summaries }) : commandListHelp(group, commands))
  return 0
}

const toUnknownCommandError = (given: string, names: readonly string[]): RemediumError => {
  const words = given.split(' ').length
  const nearest = findNearestName(given, [
    ...new Set(names.map((name) => name.split(' ').slice(0, words).join(' '))),
  ])
  return new RemediumError('unknown-command', `There is no command "${given}".`, {
    hint: nearest === undefined ? 'See "remedium --help" for the commands.' : `Did you mean "${nearest}"?`,
  })
}

const runCommand = async (
  name: string,
  command: Command,
  args: string[],
  output: Output,
): Promise<number> => {
  const { help, json, options, positionals } = parseOptions(name, command, args)
  if (help) {
    const { summary, options: declared = {} } = command
    output.out(json ? toJson({ name, summary, options: declared }) : commandHelp({ name, command }))
    return 0
  }
  const code = await command.run({
    options: options as CommandContext['options'],
    positionals,
    json,
    root: REPOSITORY,
    answer: (value, text) => output.out(json ? toJson(value) : text.endsWith('\n') ? text : `${text}\n`),
    progress: (line) => output.err(`${line}\n`),
  })
  return code ?? 0
}

const dispatch = async (args: string[], output: Output): Promise<number> => {
  const json = args.includes('--json')
  const firstOption = args.findIndex((argument) => argument.startsWith('-'))
  const words = firstOption === -1 ? args : args.slice(0, firstOption)
  const options = args.slice(words.length)
  if (words.length === 0) {
    if (options.includes('--version')) return showVersion(json, output)
    const unknown = options.find((option) => !['--help', '-h', '--json'].includes(option))
    if (unknown === undefined) return showCommands('', json, output)
    throw toUnknownOptionError('remedium', unknown, [...Object.keys(COMMON_OPTIONS), 'version'])
  }
  const names = listCommandNames()
  const name = [words.slice(0, 2).join(' '), words[0]!].find((candidate) => names.includes(candidate))
  if (name !== undefined) {
    return runCommand(name, await loadCommand(name), args.slice(name.split(' ').length), output)
  }
  const isGroup = names.some((candidate) => candidate.startsWith(`${words[0]} `))
  if (isGroup && words.length === 1) return showCommands(words[0]!, json, output)
  throw toUnknownCommandError(isGroup ? words.slice(0, 2).join(' ') : words[0]!, names)
}

const showError = (thrown: unknown, json: boolean, { out, err }: Output): number => {
  const error = toRemediumError(thrown)
  const { code, blame, message, hint, exitCode } = error
  if (json) out(toJson({ error: { code, blame, message, hint } }))
  // The message can contain text from an agent's program.
  else err(`remedium: ${escapeInvisible(hint === undefined ? message : `${message} ${hint}`)}\n`)
  if (code === 'defect' && error.cause instanceof Error) err(`${error.cause.stack}\n`)
  return exitCode
}

/** Runs the command line and resolves to the exit code. */
export const runCommandLine = async (args: string[], output: Output): Promise<number> => {
  try {
    return await dispatch(args, output)
  } catch (thrown) {
    return showError(thrown, args.includes('--json'), output)
  }
}
