/** The files of a container with those that the kernel provides: devices, and the names of processes. */
import { posix } from 'node:path'
import {
  type FileStatus,
  type ProgramFile,
  type ProgramFiles,
  type ProgramHost,
  UnsupportedCommand,
} from '#spec'

const DEVICES = new Set(['null', 'zero', 'random', 'urandom', 'full', 'stdin', 'stdout', 'stderr', 'tty'])
const FOLDERS = new Set(['/dev', '/proc'])
const MAX_OOM_SCORE = 1000

const createError = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: '${path}'`), { code, path })

/** The short name of a process, as the kernel keeps it. */
export const toProcessName = (command: readonly string[]): string =>
  posix.basename(command[0] ?? '').slice(0, 15)

const createNullFile = (path: string): ProgramFile => ({
  write: async (bytes) => {
    if (path === '/dev/full') throw createError('ENOSPC', path)
    return bytes.length
  },
  truncate: async () => {},
  sync: async () => {},
  close: async () => {},
})

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Undefined for a path outside of `/dev` and `/proc`. */
const systemPart = (path: string): 'dev' | 'proc' | undefined =>
  /^\/(?:dev|proc)(?:\/|$)/.test(path) ? (path.slice(1, 4) === 'dev' ? 'dev' : 'proc') : undefined

const isOwnDevice = (path: string): boolean => path.startsWith('/dev/') && DEVICES.has(path.slice(5))

class Processes {
  readonly #host: ProgramHost

  constructor(host: ProgramHost) {
    this.#host = host
  }

  names(): string[] {
    return this.#host.processes.list().map(({ id }) => String(id))
  }

  /** The process whose OOM score the file holds; undefined for another file. */
  #scored(path: string): number | undefined {
    const [, id, file] = /^\/proc\/(\d+|self)\/(.*)$/.exec(path) ?? []
    return file === 'oom_score_adj' ? (id === 'self' ? this.#host.processes.id : Number(id)) : undefined
  }

  /** Throws for a file that is not modelled, or that the kernel does not allow to write. */
  open(path: string): ProgramFile {
    const found = this.find(path)
    const id = this.#scored(path)
    if (found === undefined && /^\/proc\/\d+(?:\/|$)/.test(path)) throw createError('ENOENT', path)
    if (id === undefined) throw new UnsupportedCommand(`a change of the file ${path}`)
    return {
      ...createNullFile(path),
      write: async (bytes) => {
        const text = new TextDecoder().decode(bytes).trim()
        if (!/^-?\d+$/.test(text) || Math.abs(Number(text)) > MAX_OOM_SCORE) throw createError('EINVAL', path)
        this.#host.processes.configure(id, { oomScoreAdj: Number(text) })
        return bytes.length
      },
    }
  }

  /** Undefined if there is no such process. */
  find(path: string): { command: readonly string[]; file: string } | undefined {
    const [, , name = '', file = ''] = path.split('/')
    const id = name === 'self' ? this.#host.processes.id : Number(name)
    const process = this.#host.processes.list().find((each) => each.id === id)
    return process === undefined ? undefined : { command: process.command, file }
  }

  read(path: string): Uint8Array {
    const found = this.find(path)
    if (found === undefined && /^\/proc\/\d+(?:\/|$)/.test(path)) throw createError('ENOENT', path)
    const scored = this.#scored(path)
    if (scored !== undefined) return encode(`${this.#host.processes.settingsOf(scored)?.oomScoreAdj ?? 0}\n`)
    if (found?.file === 'comm') return encode(`${toProcessName(found.command)}\n`)
    if (found?.file === 'cmdline') return encode(found.command.map((word) => `${word}\0`).join(''))
    throw new UnsupportedCommand(`the file ${path}`)
  }

  statusOf(path: string): FileStatus | undefined {
    if (path === '/proc') return { type: 'folder', bytes: 0 }
    const found = this.find(path)
    if (found === undefined && /^\/proc\/\d+(?:\/|$)/.test(path)) return undefined
    if (found?.file === '') return { type: 'folder', bytes: 0 }
    if (['comm', 'cmdline', 'oom_score_adj'].includes(found?.file ?? '')) return { type: 'file', bytes: 0 }
    throw new UnsupportedCommand(`the file ${path}`)
  }
}

/** Paths must be absolute. Throws UnsupportedCommand for files of the kernel that are not modelled. */
export const createSystemFiles = (host: ProgramHost): ProgramFiles => {
  const { files } = host
  const processes = new Processes(host)
  const statusOf = (path: string): FileStatus | undefined => {
    if (FOLDERS.has(path)) return { type: 'folder', bytes: 0 }
    if (isOwnDevice(path)) return { type: 'file', bytes: 0 }
    return systemPart(path) === 'proc' ? processes.statusOf(path) : files.statusOf(path)
  }
  return {
    ...files,
    exists: (path) => statusOf(path) !== undefined,
    statusOf,
    read(path) {
      if (path === '/dev/null') return new Uint8Array(0)
      if (isOwnDevice(path)) throw new UnsupportedCommand(`the whole content of ${path}`)
      return systemPart(path) === 'proc' ? processes.read(path) : files.read(path)
    },
    list(path) {
      if (path === '/') return [...new Set([...files.list('/'), 'dev', 'proc'])].sort()
      if (path === '/proc') return processes.names()
      if (systemPart(path) !== undefined && !files.exists(path))
        throw new UnsupportedCommand(`the files in ${path}`)
      return files.list(path)
    },
    open: async (path, mode) => {
      if (isOwnDevice(path)) return createNullFile(path)
      if (systemPart(path) === 'proc') return processes.open(path)
      return files.open(path, mode)
    },
    makeFolder: (path) => files.makeFolder(path),
    rename: (from, to) => files.rename(from, to),
    remove: (path) => files.remove(path),
    removeFolder: (path) => files.removeFolder(path),
  }
}
