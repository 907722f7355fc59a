/** What a command of the command line declares: one file in commands/ each. */

export interface OptionDeclaration {
  readonly type: 'boolean' | 'string' | 'integer'
  /** What the help says about it, in one phrase. */
  readonly about: string
  /** One letter. */
  readonly short?: string
  /** Another name for it, which the help does not show. */
  readonly alias?: string
  /** How the help names the value: `--out DIR`. */
  readonly value?: string
  readonly multiple?: boolean
  readonly default?: string | number
  /** Of an integer. */
  readonly least?: number
  /** Of an integer that has a least. */
  readonly most?: number
  /** Of a string: all that it may be, each of which `about` names. */
  readonly choices?: readonly string[]
}

export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>

type OptionValue<D extends OptionDeclaration> = D['type'] extends 'boolean'
  ? boolean
  : D['type'] extends 'integer'
    ? number
    : D extends { choices: readonly string[] }
      ? D['choices'][number]
      : string

/** The values a command gets: an option that was not given and has no default is undefined, a flag false. */
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
  /** Whether the answer is wanted as JSON. */
  readonly json: boolean
  /** The folder of the repository; the working directory is the user's. */
  readonly root: string
  /** Prints the answer on standard output: the value with --json, otherwise the text. */
  answer(value: unknown, text: string): void
  /** Prints one line of progress on standard error. */
  progress(line: string): void
}

export interface Command<O extends OptionDeclarations = OptionDeclarations> {
  /** What it does, in one phrase that starts with a verb. */
  readonly summary: string
  /** How the usage line shows what comes after the name, such as `[FILE ...]`; without it nothing may come. */
  readonly positionals?: string
  readonly options?: O
  /** Command lines, each with what it does behind it. */
  readonly examples?: readonly string[]
  /** All arguments but --help and --json belong to a program that is called, and arrive as positionals. */
  readonly passThrough?: boolean
  /** Resolves to the exit code; nothing means 0. */
  run(context: CommandContext<O>): Promise<number | undefined> | number | undefined
}

/** Declares a command; the file name is the command's name, and a folder's name comes before it. */
export const defineCommand = <const O extends OptionDeclarations>(command: Command<O>): Command<O> => command
