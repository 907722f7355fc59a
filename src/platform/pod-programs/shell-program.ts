/** The shell as a program of a container: `sh -c text`, `sh file`, or a script from the standard input. */
import { posix } from 'node:path'
import { decodeBytes, runScript, type ShellPort } from '#platform/shell'
import { type ProgramHost, type SimulatedProgram, UnsupportedCommand } from '#spec'
import { createSystemFiles } from './system-files.ts'

/** The CPU time of the start of a shell. */
const START_CPU_MS = 1

interface ShellCall {
  readonly name: string
  /** Undefined for a file that cannot be read. */
  readonly text: string | undefined
  readonly parameters: readonly string[]
  /** Options such as `-e`. */
  readonly options: readonly string[]
  /** Whether the script is the standard input. */
  readonly isInput: boolean
}

const parseArguments = (name: string, host: ProgramHost): ShellCall => {
  const left = [...host.args]
  const options: string[] = []
  let isCommand = false
  while (/^[-+]\w/.test(left[0] ?? '')) {
    const letters = left.shift()!
    if (!/^-[ceul]+$/.test(letters)) throw new UnsupportedCommand(`${name} ${letters}`)
    isCommand ||= letters.includes('c')
    for (const letter of letters.slice(1)) if ('eu'.includes(letter)) options.push(`-${letter}`)
  }
  if (left[0] === '--') left.shift()
  const [first, ...rest] = left
  if (isCommand) {
    const [ownName, ...parameters] = rest
    return { name: ownName ?? name, text: first ?? '', parameters, options, isInput: false }
  }
  if (first === undefined) return { name, text: host.input, parameters: [], options, isInput: true }
  return { name: first, text: readScript(host, first), parameters: rest, options, isInput: false }
}

const readScript = (host: ProgramHost, path: string): string | undefined => {
  try {
    return decodeBytes(host.files.read(posix.resolve('/', host.folder, path)))
  } catch {
    return undefined
  }
}

const FOLDERS = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const createPort = (
  host: ProgramHost,
  name: string,
  isBash: boolean,
  find: (name: string) => string | undefined,
): ShellPort => {
  const { processes, time } = host
  return {
    name,
    isBash,
    environment: { ...host.environment, PWD: host.folder, PATH: host.environment.PATH ?? FOLDERS },
    folder: host.folder,
    files: createSystemFiles(host),
    now: () => time.now(),
    use: (ms) => host.cpu.use(ms),
    find,
    start({ words, environment, folder, input, out, err }) {
      return processes.start({ command: words, environment, folder, input, write: out, writeError: err })
    },
    processes: {
      id: processes.id,
      signal: (id, signal) => processes.signal(id, signal),
      replace: ({ words, environment, folder, input }) =>
        processes.replace({ command: words, environment, folder, input }),
      onTermination(listener) {
        host.termination.addEventListener('abort', listener, { once: true })
      },
    },
  }
}

/** `find` returns the path of a program of every image. */
export const createShellProgram =
  (name: 'sh' | 'bash', find: (name: string) => string | undefined): SimulatedProgram =>
  async (host) => {
    await host.cpu.use(START_CPU_MS)
    const call = parseArguments(name, host)
    if (call.text === undefined) {
      host.writeError(`${name}: 0: cannot open ${call.name}: No such file\n`)
      host.exit(2)
      return
    }
    const port = createPort(host, call.name, name === 'bash', find)
    const input = {
      get text() {
        this.value ??= call.isInput ? '' : host.input
        return this.value
      },
      set text(rest: string) {
        this.value = rest
      },
      value: undefined as string | undefined,
    }
    const text = [...call.options.map((option) => `set ${option};`), call.text].join(' ')
    const code = await runScript(port, {
      text,
      parameters: call.parameters,
      input,
      out: (output) => host.write(output),
      err: (output) => host.writeError(output),
    })
    host.exit(code)
  }
