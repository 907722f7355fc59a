/** How everyday programs are written: a function of the host with its files, which returns the exit code. */
import { posix } from 'node:path'
import { decodeBytes } from '#platform/shell'
import { type ProgramFiles, type ProgramHost, type SimulatedProgram, UnsupportedCommand } from '#spec'
import { createSystemFiles } from './system-files.ts'

/** A failure that the program prints after its name. */
export class ProgramFailure extends Error {
  readonly code: number

  constructor(message: string, code = 1) {
    super(message)
    this.code = code
  }
}

export interface PodProgramCall {
  readonly name: string
  readonly host: ProgramHost
  readonly args: readonly string[]
  /** With `/dev` and `/proc`. Relative paths must be resolved. */
  readonly files: ProgramFiles
  resolve(path: string): string
  out(text: string): void
  /** Prints a message after the name of the program. */
  complain(message: string): void
  /** The text of a file, or of the standard input for `-`. Throws a ProgramFailure. */
  readText(path: string): string
  sleep(ms: number): Promise<void>
  /** An option that is not modelled. */
  refuse(detail?: string): never
}

/** Returns the exit code. */
export type PodProgram = (call: PodProgramCall) => Promise<number> | number

/** The CPU time of a small program, most of which is its start. */
const START_CPU_MS = 1

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  ENOENT: 'No such file or directory',
  ENOSPC: 'No space left on device',
  ENOTDIR: 'Not a directory',
  ENOTEMPTY: 'Directory not empty',
  EROFS: 'Read-only file system',
  EXDEV: 'Invalid cross-device link',
}

/** The text of the C library for an error of the files; throws other errors. */
export const reasonOf = (error: unknown): string => {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') throw error
  return REASONS[code] ?? (error as Error).message
}

const createCall = (name: string, host: ProgramHost): PodProgramCall => {
  const files = createSystemFiles(host)
  const resolve = (path: string): string => posix.resolve('/', host.folder, path)
  return {
    name,
    host,
    args: host.args,
    files,
    resolve,
    out: (text) => host.write(text),
    complain: (message) => host.writeError(`${name}: ${message}\n`),
    readText(path) {
      if (path === '-' || path === '/dev/stdin') return host.input
      try {
        return decodeBytes(files.read(resolve(path)))
      } catch (error) {
        throw new ProgramFailure(`${path}: ${reasonOf(error)}`)
      }
    },
    sleep: (ms) => new Promise((wake) => host.time.after(ms, wake)),
    refuse(detail) {
      throw new UnsupportedCommand(`${name} ${detail ?? host.args.join(' ')}`)
    },
  }
}

/** Messages name the program as it is called here. */
export const toSimulatedProgram =
  (name: string, program: PodProgram): SimulatedProgram =>
  async (host) => {
    await host.cpu.use(START_CPU_MS)
    const call = createCall(name, host)
    try {
      host.exit(await program(call))
    } catch (error) {
      if (!(error instanceof ProgramFailure)) throw error
      call.complain(error.message)
      host.exit(error.code)
    }
  }
