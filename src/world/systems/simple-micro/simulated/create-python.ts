/** The program `python3` of the images of Simple-Micro. It runs the two services. */
import { posix } from 'node:path'
import { type ProgramHost, type SimulatedProgram, UnsupportedCommand } from '#spec'
import { toPythonMessage } from './python-error.ts'
import { readPythonFile } from './read-python-file.ts'
import { behaviourOf, type ReleaseBehaviour } from './release-behaviour.ts'
import { runService } from './run-service.ts'

/** The CPU time until the program runs, and the memory of Python with its modules. */
const START_CPU_MS = 110
const PYTHON_BYTES = 11 * 2 ** 20

const readText = ({ files }: ProgramHost, path: string): string | undefined => {
  try {
    return Buffer.from(files.read(path)).toString('utf8')
  } catch {
    return undefined
  }
}

const fail = (host: ProgramHost, code: number, text: string): void => {
  host.writeError(`${text}\n`)
  host.exit(code)
}

const run = (host: ProgramHost, version: string, release: ReleaseBehaviour): void => {
  const [name, ...rest] = host.args
  if (name === '--version' || name === '-V') {
    host.write(`Python ${version}\n`)
    host.exit(0)
    return
  }
  if (name === undefined || name.startsWith('-') || rest.length > 0)
    throw new UnsupportedCommand(`python3 ${host.args.join(' ')}`.trimEnd())
  const path = posix.resolve('/', host.folder, name)
  const text = readText(host, path)
  if (text === undefined) {
    fail(host, 2, `python3: can't open file '${name}': [Errno 2] No such file or directory`)
    return
  }
  const telemetry = readText(host, posix.join(posix.dirname(path), 'telemetry.py'))
  if (telemetry === undefined) {
    fail(host, 1, "ModuleNotFoundError: No module named 'telemetry'")
    return
  }
  const service = readPythonFile(text, telemetry)
  host.termination.addEventListener('abort', () => host.exit(0), { once: true })
  try {
    runService(host, service, release)
  } catch (error) {
    fail(host, 1, `OSError: ${toPythonMessage(error)}`)
  }
}

/** `version` as Python prints it; `quality` is `good` or the defect of the release. */
export const createPython =
  (version: string, quality: string): SimulatedProgram =>
  async (host) => {
    const release = behaviourOf(quality)
    host.memory.allocate(PYTHON_BYTES)
    await host.cpu.use(START_CPU_MS)
    if (!release.start(host)) return
    run(host, version, release)
    // The server ends with the program. All other runs have exited.
    await new Promise<never>(() => {})
  }
