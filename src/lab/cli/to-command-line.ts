/** Formats a parsed command as a command line. */
import { quoteShellWord } from '#kit'
import type { OptionDeclarations } from './define-command.ts'
import { givenOptions } from './given-options.ts'

export interface CommandArguments {
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

export const toCommandLine = (
  command: string,
  declarations: OptionDeclarations,
  { positionals, options }: CommandArguments,
): string => {
  const given = givenOptions(declarations, options).flatMap((name) => {
    const value = options[name]
    if (value === true) return [`--${name}`]
    return (Array.isArray(value) ? value : [value]).map((item) => `--${name} ${quoteShellWord(String(item))}`)
  })
  return [`remedium ${command}`, ...positionals.map(quoteShellWord), ...given].join(' ')
}
