/** Declares a command; each command is a file in commands/. */

interface CommonDeclaration {
  /** A phrase for the help. */
  readonly about: string
  /** One character. */
  readonly short?: string
  /** Another name, which the help does not show. */
  readonly alias?: string
  /** The name of the value in the help: `--out DIR`. */
  readonly value?: string
  readonly multiple?: boolean
  readonly default?: string | number
}

interface TextDeclaration extends CommonDeclaration {
  readonly type: 'boolean' | 'string'
  /** For a string: rejects an empty or blank value. */
  readonly isNonEmpty?: boolean
  /** For a string: its valid values. `about` must name each. */
  readonly choices?: readonly string[]
}

/** Both limits are required, so that a mistyped value is rejected before it exhausts the memory or overflows a timer. */
interface NumberDeclaration extends CommonDeclaration {
  readonly type: 'integer' | 'number'
  readonly min: number
  readonly max: number
}

export type OptionDeclaration = TextDeclaration | NumberDeclaration

export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>

type OptionValue<D extends OptionDeclaration> = D['type'] extends 'boolean'
  ? boolean
  : D['type'] extends 'integer' | 'number'
    ? number
    : D extends { choices: readonly string[] }
      ? D['choices'][number]
      : string

/** An omitted option without a default is undefined; an omitted flag is false. */
export type OptionValues<O extends OptionDeclarations> = {
  [Name in keyof O]: O[Name] extends { multiple: true }
    ? OptionValue<O[Name]>[]
    : O[Name] extends { type: 'boolean' } | { default: string | number }
      ? OptionValue<O[Name]>
      : OptionValue<O[Name]> | undefined
}

export interface CommandContext<O extends OptionDeclarations = OptionDeclarations> {
  readonly options: OptionValues<O>
  readonly positionals: readonly string[]
  /** Whether --json was given. */
  readonly json: boolean
  /** The root folder of the repository. It need not be the working directory. */
  readonly root: string
  /** Prints the result on standard output: the value with --json, otherwise the text. */
  answer(value: unknown, text: string): void
  /** Prints one line of progress on standard error. */
  progress(line: string): void
}

export interface Command<O extends OptionDeclarations = OptionDeclarations> {
  /** A phrase that starts with a verb. */
  readonly summary: string
  /** The arguments in the usage line, such as `[FILE ...]`; by default the command accepts none. */
  readonly positionals?: string
  readonly options?: O
  /** Command lines, each followed by several spaces and a description. */
  readonly examples?: readonly string[]
  /** Passes all arguments except --help and --json as positionals, for another program. */
  readonly passThrough?: boolean
  /** Resolves to the exit code; 0 by default. */
  run(context: CommandContext<O>): Promise<number | undefined> | number | undefined
}

/** The command's name is its file name, preceded by the name of its subfolder if it has one. */
export const defineCommand = <const O extends OptionDeclarations>(command: Command<O>): Command<O> => command
