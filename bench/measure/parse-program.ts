/** Parses the command line of a benchmark or a proof: its own options, and `--quick` and `--help`, which all of them have. */
import { parseArgs } from 'node:util'

export interface CountOption {
  readonly about: string
  readonly count: number
  /** The default with `--quick`; `count` if omitted. */
  readonly quick?: number
}

export interface TextOption {
  readonly about: string
  /** The placeholder for the value in the usage text, such as `NAME`. */
  readonly value: string
  readonly text: string
  readonly quick?: string
}

export type ProgramOptions = Readonly<Record<string, CountOption | TextOption>>

export interface Program<O extends ProgramOptions> {
  /** Such as `npm run bench kube`. */
  readonly command: string
  readonly about: string
  readonly options: O
  /** The positional arguments in the usage text, such as `[SYSTEM ...]`. */
  readonly operands?: string
  /** Flags in addition to `--quick` and `--help`, with their descriptions. */
  readonly flags?: Readonly<Record<string, string>>
}

export interface ProgramArguments<O extends ProgramOptions> {
  readonly values: { readonly [K in keyof O]: O[K] extends CountOption ? number : string }
  readonly operands: readonly string[]
  readonly isQuick: boolean
  /** The flags that were given. */
  readonly flags: ReadonlySet<string>
}

/** An error in the command line; the message says what was expected. */
export class UsageError extends Error {}

const COMMON_FLAGS = {
  quick: 'uses small counts and ignores performance goals: checks the program, not the machine',
  help: 'prints this text',
}

const defaultOf = (option: CountOption | TextOption, isQuick: boolean): number | string => {
  const full = 'count' in option ? option.count : option.text
  return isQuick ? (option.quick ?? full) : full
}

export const usageOf = ({ command, about, options, operands, flags }: Program<ProgramOptions>): string => {
  const rows = Object.entries(options).map(([name, option]) => {
    const [full, quick] = [defaultOf(option, false), defaultOf(option, true)]
    const defaults = full === quick ? `default: ${full}` : `default: ${full}; with --quick: ${quick}`
    const value = 'count' in option ? 'N' : option.value
    return [`--${name} ${value}`, full === '' ? option.about : `${option.about} (${defaults})`]
  })
  for (const [name, what] of Object.entries({ ...flags, ...COMMON_FLAGS })) rows.push([`--${name}`, what])
  const width = Math.max(...rows.map(([name]) => name!.length))
  const lines = rows.map(([name, what]) => `  ${name!.padEnd(width)}  ${what}`)
  const synopsis = [`${command} --`, operands, '[OPTION ...]'].filter((part) => part !== undefined)
  return `${about}\n\nUsage: ${synopsis.join(' ')}\n\n${lines.join('\n')}\n`
}

const toCount = (name: string, given: string): number => {
  const count = Number(given)
  if (!Number.isInteger(count) || count < 0)
    throw new UsageError(`--${name} must be a whole number, not "${given}".`)
  return count
}

const parse = (program: Program<ProgramOptions>, args: readonly string[]): ReturnType<typeof parseArgs> => {
  const flags = Object.keys({ ...program.flags, ...COMMON_FLAGS })
  const declared = [
    ...Object.keys(program.options).map((name) => [name, { type: 'string' as const }]),
    ...flags.map((name) => [name, { type: 'boolean' as const }]),
  ]
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: program.operands !== undefined,
      options: Object.fromEntries(declared),
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Throws a `UsageError` if the arguments are wrong. */
export const parseProgram = <O extends ProgramOptions>(
  program: Program<O>,
  args: readonly string[],
): ProgramArguments<O> => {
  const { values: given, positionals } = parse(program, args)
  const isQuick = given.quick === true
  const values = Object.entries(program.options).map(([name, option]) => {
    const value = given[name] as string | undefined
    if (value === undefined) return [name, defaultOf(option, isQuick)]
    return [name, 'count' in option ? toCount(name, value) : value]
  })
  return {
    values: Object.fromEntries(values),
    operands: positionals,
    isQuick,
    flags: new Set(Object.keys(given).filter((name) => given[name] === true)),
  }
}

/** Parses the arguments of this process. Prints the usage text and exits if it was requested or the arguments are wrong. */
export const readArguments = <O extends ProgramOptions>(program: Program<O>): ProgramArguments<O> => {
  try {
    const parsed = parseProgram(program, process.argv.slice(2))
    if (!parsed.flags.has('help')) return parsed
    process.stdout.write(usageOf(program))
    process.exit(0)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n\n${usageOf(program)}`)
    process.exit(2)
  }
}
