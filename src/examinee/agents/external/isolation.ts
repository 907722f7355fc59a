/** Prepares the isolation of an external program from the options of the agent. */
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { REPOSITORY } from '#kit'
import {
  type IsolatedProgram,
  PROGRAM_FOLDERS,
  type ProgramLimits,
  type ServiceAddress,
  startIsolatedProgram,
} from '#machine/sandbox'
import { RemediumError } from '#spec'
import { checkVisibleFolder, findVisiblePaths } from './visible-paths.ts'

const NOBODY = 65_534
const MEBIBYTE = 2 ** 20
/** Variables that describe Remedium, its checkout, its settings and its user. */
const HIDDEN_VARIABLES = /^(?:REMEDIUM_|npm_|NODE_OPTIONS$|NODE_PATH$|INIT_CWD$|OLDPWD$|PWD$|SUDO_|XDG_)/

export interface IsolationOptions {
  readonly folders: readonly string[]
  readonly hidden: readonly string[]
  readonly memory: string | undefined
  readonly memoryMiB: number
  readonly connect: readonly string[]
  readonly ramMiB: number
  readonly processes: number
  readonly fileMiB: number
  readonly cores: number
}

/** A prepared isolation, whose paths have been checked. */
export interface Isolation {
  start(command: readonly string[]): Promise<IsolatedProgram>
  readonly limits: ProgramLimits
  /** The folder that is kept between episodes, and its maximum size. */
  readonly memory: { readonly folder: string; readonly maxBytes: number } | undefined
}

const parseServiceAddress = (text: string): ServiceAddress => {
  const [, host = '', port = ''] = /^(\d+\.\d+\.\d+\.\d+|localhost):(\d+)$/.exec(text) ?? []
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new RemediumError(
      'bad-argument',
      `"${text}" is not an address to which an external agent can connect.`,
      {
        hint: 'Give IPv4 addresses of this machine with ports, separated by commas: --set external.connect=127.0.0.1:11434',
      },
    )
  return { host: host === 'localhost' ? '127.0.0.1' : host, port: Number(port) }
}

/** Creates the folder if it does not exist. Throws if the user nobody cannot write to it. */
const prepareMemory = (folder: string): void => {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chownSync(folder, NOBODY, NOBODY)
  }
  const { mode, uid } = statSync(folder)
  if (uid === NOBODY || (mode & 0o003) === 0o003) return
  throw new RemediumError('bad-argument', `The user nobody cannot write to the memory folder ${folder}.`, {
    hint: `Run: chown nobody ${folder}`,
  })
}

const toEnvironment = (memory: string | undefined): Record<string, string> => {
  const visibleVariables = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !HIDDEN_VARIABLES.test(entry[0]),
  )
  return {
    ...Object.fromEntries(visibleVariables),
    HOME: PROGRAM_FOLDERS.home,
    TMPDIR: PROGRAM_FOLDERS.temporary,
    USER: 'nobody',
    LOGNAME: 'nobody',
    ...(memory === undefined ? {} : { REMEDIUM_MEMORY: PROGRAM_FOLDERS.memory }),
  }
}

/** Throws if an option is invalid. */
export const prepareIsolation = (
  command: readonly string[],
  folder: string | undefined,
  options: IsolationOptions,
): Isolation => {
  const cwd = resolve(folder ?? '.')
  const reach = options.connect.map(parseServiceAddress)
  const hidden = options.hidden.map((path) => resolve(path))
  const memory = options.memory === undefined ? undefined : resolve(cwd, options.memory)
  const limits: ProgramLimits = {
    memoryBytes: options.ramMiB * MEBIBYTE,
    processes: options.processes,
    fileBytes: options.fileMiB * MEBIBYTE,
    cores: options.cores,
  }
  const request = { command, folder: cwd, folders: options.folders, hidden }
  findVisiblePaths(request)
  if (memory !== undefined) checkVisibleFolder(memory, hidden)
  return {
    limits,
    memory: memory === undefined ? undefined : { folder: memory, maxBytes: options.memoryMiB * MEBIBYTE },
    async start(programCommand) {
      if (memory !== undefined) prepareMemory(memory)
      return startIsolatedProgram({
        command: programCommand,
        environment: toEnvironment(memory),
        view: { folder: cwd, hidden: [REPOSITORY, ...hidden], memory, visible: findVisiblePaths(request) },
        limits,
        reach,
      })
    },
  }
}
