/**
 * Parses arguments of stress-ng, as StressChaos passes them. Fails with the messages of stress-ng 0.15 for arguments that it rejects,
 * and clearly for those that it accepts and the model does not support.
 */

export interface Stressors {
  cpu?: { workers: number; load: number }
  /** `bytes` is the memory of all workers together. */
  virtualMemory?: { workers: number; bytes: number }
  /** Undefined if the stress does not end by itself. */
  timeoutMs?: number
}

/** Options with their short names. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  c: 'cpu',
  l: 'cpu-load',
  m: 'vm',
  t: 'timeout',
  q: 'quiet',
  v: 'verbose',
  a: 'all',
  B: 'bigheap',
  C: 'cache',
  d: 'hdd',
  f: 'fork',
  i: 'io',
  p: 'pipe',
  r: 'random',
  S: 'sock',
  s: 'switch',
  T: 'timer',
}
const VALUE_OPTIONS = ['cpu', 'cpu-load', 'vm', 'vm-bytes', 'timeout'] as const
/** Without an effect on the model. Memory that `--vm-keep` keeps is otherwise mapped again at once. */
const IGNORED_FLAGS = [
  'vm-keep',
  'oomable',
  'keep-name',
  'quiet',
  'verbose',
  'metrics',
  'metrics-brief',
  'times',
]
/** Every method keeps a thread busy. */
const IGNORED_VALUES = ['cpu-method', 'cpu-load-slice', 'vm-method', 'temp-path']
/** Options of stress-ng, some of many, that the model does not support. */
const UNSUPPORTED = [
  ...['all', 'bigheap', 'brk', 'cache', 'cpu-ops', 'fork', 'hdd', 'hdd-bytes', 'hdd-ops', 'io', 'io-ops'],
  ...['iomix', 'matrix', 'memcpy', 'mmap', 'pipe', 'random', 'sequential', 'sock', 'stack', 'stream'],
  ...['switch', 'timer', 'vm-hang', 'vm-ops'],
]
const ALL_OPTIONS = [...VALUE_OPTIONS, ...IGNORED_FLAGS, ...IGNORED_VALUES, ...UNSUPPORTED]

const DEFAULT_VM_BYTES = 256 * 2 ** 20
const MIN_VM_BYTES = 4096
const MAX_WORKERS = 8192
const SIZE_SUFFIXES = 'bkmgtpe'
const SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_556_926,
}

const endWith = (message: string): Error =>
  new Error(`stress-ng ended with 1: ${message || 'the container may have ended'}`)

const unsupported = (what: string): Error =>
  new Error(`stress on a simulated cluster does not support ${what} of stress-ng`)

const toInteger = (text: string): number => {
  const rest = text.replace(/^[+-]?\d+/, '')
  if (text === '' || rest !== '') throw endWith(`Value ${text} contains non-numeric: '${rest}'`)
  return Number(text)
}

/** A number with a suffix of one letter; stress-ng ignores what is between them. */
const toScaled = (text: string, scaleOf: (suffix: string) => number | undefined, unit: string): number => {
  const number = /^\d+(\.\d+)?/.exec(text)?.[0]
  if (text.startsWith('-')) throw endWith(`Invalid negative number ${text}`)
  if (number === undefined) throw endWith(`Invalid number ${text}`)
  const suffix = text.at(-1)!
  if (/\d/.test(suffix)) return Number(number)
  const scale = scaleOf(suffix.toLowerCase())
  if (scale === undefined) throw endWith(`Illegal ${unit} specifier ${suffix}`)
  return Number(number) * scale
}

const toBytes = (text: string): number => {
  if (text.endsWith('%')) throw unsupported('sizes in percent')
  const scaleOf = (suffix: string): number | undefined =>
    SIZE_SUFFIXES.includes(suffix) ? 1024 ** SIZE_SUFFIXES.indexOf(suffix) : undefined
  const bytes = Math.floor(toScaled(text, scaleOf, 'length'))
  if (bytes >= MIN_VM_BYTES) return bytes
  const size = bytes < 1024 ? `${bytes.toFixed(1)}B` : `${(bytes / 1024).toFixed(1)}KB`
  throw endWith(`Value ${size} is out of range for vm-bytes, allowed: 4.0KB .. 256.0TB`)
}

const toWorkers = (name: string, text: string): number => {
  const workers = toInteger(text)
  if (workers > MAX_WORKERS) throw endWith(`Number of ${name} stressors must be between 0 and ${MAX_WORKERS}`)
  if (workers <= 0) throw unsupported(`--${name} ${text}, one worker for each CPU,`)
  return workers
}

const toLoad = (text: string): number => {
  const load = toInteger(text)
  if (load >= 0 && load <= 100) return load
  throw endWith(`Value ${text} is out of range for cpu-load, allowed: 0 .. 100`)
}

interface Option {
  readonly name: string
  /** As the program names it in messages. */
  readonly label: string
  readonly value: string | undefined
}

/** Splits `--name=value`, `-n` and `-nvalue`. */
const toOption = (argument: string): Option => {
  if (argument.startsWith('--')) {
    const [name = '', ...rest] = argument.slice(2).split('=')
    const value = rest.length === 0 ? undefined : rest.join('=')
    if (ALL_OPTIONS.includes(name)) return { name, label: `option '--${name}' requires an argument`, value }
    if (ALL_OPTIONS.some((each) => each.startsWith(name))) throw unsupported(`the abbreviation --${name}`)
    throw endWith(`stress-ng: unrecognized option '${argument}'`)
  }
  // The program prints this message to its standard output.
  if (!argument.startsWith('-')) throw endWith('')
  const letter = argument.slice(1, 2)
  const name = SHORT_NAMES[letter]
  if (name === undefined) throw endWith(`stress-ng: invalid option -- '${letter}'`)
  const value = argument.length > 2 ? argument.slice(2) : undefined
  return { name, label: `option requires an argument -- '${letter}'`, value }
}

/** Returns the values of the options by name; a later one replaces an earlier one. */
const readOptions = (args: readonly string[]): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  const left = [...args]
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const { name, label, value } = toOption(argument)
    if (UNSUPPORTED.includes(name)) throw unsupported(`the option --${name}`)
    if (IGNORED_FLAGS.includes(name)) {
      if (value !== undefined) throw endWith(`stress-ng: option '--${name}' doesn't allow an argument`)
      continue
    }
    const found = value ?? left.shift()
    if (found === undefined) throw endWith(`stress-ng: ${label}`)
    values.set(name, found)
  }
  return values
}

export const parseStressors = (args: readonly string[]): Stressors => {
  const values = readOptions(args)
  const ifGiven = <T>(name: (typeof VALUE_OPTIONS)[number], parse: (text: string) => T): T | undefined => {
    const text = values.get(name)
    return text === undefined ? undefined : parse(text)
  }
  const cpu = ifGiven('cpu', (text) => toWorkers('cpu', text))
  const load = ifGiven('cpu-load', toLoad) ?? 100
  const vm = ifGiven('vm', (text) => toWorkers('vm', text))
  const bytes = ifGiven('vm-bytes', toBytes) ?? DEFAULT_VM_BYTES
  const seconds = ifGiven('timeout', (text) => toScaled(text, (suffix) => SECONDS[suffix], 'time'))
  if (cpu === undefined && vm === undefined) throw endWith('stress-ng: error: [1] No stress workers invoked')
  return {
    ...(cpu === undefined ? {} : { cpu: { workers: cpu, load } }),
    ...(vm === undefined
      ? {}
      : { virtualMemory: { workers: vm, bytes: Math.max(bytes, MIN_VM_BYTES * vm) } }),
    // A timeout of 0 means none.
    ...(seconds === undefined || seconds === 0 ? {} : { timeoutMs: seconds * 1000 }),
  }
}
