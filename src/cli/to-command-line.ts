/** A command as somebody would type it again. */
import type { OptionDeclarations } from './define-command.ts'
import { givenOptions } from './given-options.ts'

const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

export interface Called {
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

export const toCommandLine = (
  command: string,
  declarations: OptionDeclarations,
  { positionals, options }: Called,
): string => {
  const given = givenOptions(declarations, options).flatMap((name) => {
    const value = options[name]
    if (value === true) return [`--${name}`]
    return (Array.isArray(value) ? value : [value]).map((one) => `--${name} ${quote(String(one))}`)
  })
  return [`remedium ${command}`, ...positionals.map(quote), ...given].join(' ')
}
