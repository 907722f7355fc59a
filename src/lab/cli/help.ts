/** The help texts of the command line, of a group of commands, and of one command. */
import type { Command, OptionDeclarations } from './define-command.ts'
import { COMMON_OPTIONS } from './parse-options.ts'

export interface NamedCommand {
  readonly name: string
  readonly command: Command
}

const toColumns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}\n`).join('')
}

const toOptionRows = (declarations: OptionDeclarations): [string, string][] =>
  Object.entries(declarations).map(([name, declaration]) => {
    const short = declaration.short === undefined ? '    ' : `-${declaration.short}, `
    const placeholder = declaration.value ?? (declaration.type === 'string' ? 'VALUE' : 'N')
    const value = declaration.type === 'boolean' ? '' : ` ${placeholder}`
    const repeated = declaration.multiple ? ' (repeatable)' : ''
    const fallback = declaration.default === undefined ? '' : ` (default: ${declaration.default})`
    return [`${short}--${name}${value}`, `${declaration.about}${repeated}${fallback}`]
  })

const listCommands = (commands: readonly NamedCommand[]): string =>
  toColumns(commands.map(({ name, command }) => [name, command.summary]))

/** The help of `remedium` itself, or of a group such as `remedium cluster`. */
export const commandListHelp = (group: string, commands: readonly NamedCommand[]): string => {
  const introduction =
    group === '' ? 'A laboratory and gym for agents that repair microservice systems.\n\n' : ''
  const commandWord = group === '' ? 'COMMAND' : `${group} COMMAND`
  const version: [string, string][] = group === '' ? [['    --version', 'show the version']] : []
  return (
    `${introduction}Usage: remedium ${commandWord} [OPTION ...]\n\nCommands:\n${listCommands(commands)}` +
    `\nOptions:\n${toColumns([...version, ...toOptionRows(COMMON_OPTIONS)])}` +
    `\nUse "remedium COMMAND --help" for more information about a command.\n`
  )
}

/** The help of one command. */
export const commandHelp = ({ name, command }: NamedCommand): string => {
  const usage = ['remedium', name, '[OPTION ...]', command.positionals].filter(Boolean).join(' ')
  const rows = toOptionRows({ ...command.options, ...COMMON_OPTIONS })
  const examples = (command.examples ?? []).map((line) => `  ${line}\n`).join('')
  return `${command.summary}.\n\nUsage: ${usage}\n\nOptions:\n${toColumns(rows)}${
    examples === '' ? '' : `\nExamples:\n${examples}`
  }`
}
