/** Redirections: opens the files of a command, and closes them after it. */
import { posix } from 'node:path'
import { type ProgramFile, type ProgramFiles, UnsupportedCommand } from '#spec'
import { type Expansion, expandText } from './expand-text.ts'
import type { Write } from './shell-port.ts'
import { complain, type Shell, type Streams } from './shell-state.ts'
import type { Redirection } from './syntax/script-tree.ts'
import { decodeBytes, encodeText } from './text-bytes.ts'

/** A file that output goes to. Writes happen one after the other. */
export interface FileSink {
  write(text: string): void
  /** Resolves when everything is written and the file is closed, with the first error. */
  close(): Promise<Error | undefined>
}

export const writeAll = async (file: ProgramFile, bytes: Uint8Array, position: number): Promise<number> => {
  let written = 0
  while (written < bytes.length) written += await file.write(bytes.subarray(written), position + written)
  return position + written
}

export const openSink = async (
  files: ProgramFiles,
  path: string,
  mode: 'replace' | 'append',
): Promise<FileSink> => {
  const file = await files.open(path, mode)
  let position = 0
  let failure: Error | undefined
  let last: Promise<void> = Promise.resolve()
  const add = async (text: string): Promise<void> => {
    if (failure !== undefined) return
    try {
      position = await writeAll(file, encodeText(text), position)
    } catch (error) {
      failure = error as Error
    }
  }
  return {
    write(text) {
      last = last.then(() => add(text))
    },
    async close() {
      await last
      await file.close()
      return failure
    },
  }
}

const nowhere: Write = () => {}

const OPEN_REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'Is a directory',
  ENOENT: 'No such file',
  ENOTDIR: 'Not a directory',
  EROFS: 'Read-only file system',
  ENOSPC: 'No space left on device',
}

/** The reason why a file could not be opened, as dash prints it. */
const reasonOf = (error: unknown, isCreated: boolean): string => {
  const { code = '', message } = error as { code?: string; message: string }
  if (isCreated && code === 'ENOENT') return 'Directory nonexistent'
  if (isCreated && code === 'EISDIR') return 'Is a directory'
  return OPEN_REASONS[code] ?? message
}

export interface RedirectedStreams {
  readonly streams: Streams
  readonly sinks: readonly FileSink[]
}

class Redirector {
  input: Streams['input']
  out: Write
  err: Write
  readonly sinks: FileSink[] = []
  readonly #shell: Shell
  readonly #expansion: Expansion

  constructor(shell: Shell, streams: Streams, expansion: Expansion) {
    this.input = streams.input
    this.out = streams.out
    this.err = streams.err
    this.#shell = shell
    this.#expansion = expansion
  }

  async apply({ from, to }: Redirection): Promise<void> {
    if (to !== 'closed' && 'input' in to) this.input = { text: await expandText(to.input, this.#expansion) }
    else if (to === 'closed') this.#set(from, nowhere)
    else if ('descriptor' in to) {
      if (from === 0 && to.descriptor === 0) return
      if (to.descriptor !== 1 && to.descriptor !== 2)
        throw new UnsupportedCommand(`the descriptor ${to.descriptor} in a script`)
      this.#set(from, to.descriptor === 1 ? this.out : this.err)
    } else await this.#open(from, await expandText(to.file, this.#expansion), to.mode)
  }

  #set(descriptor: number, write: Write): void {
    if (descriptor === 0) this.input = { text: '' }
    else if (descriptor === 1) this.out = write
    else if (descriptor === 2) this.err = write
    else throw new UnsupportedCommand(`the descriptor ${descriptor} in a script`)
  }

  async #open(from: number, path: string, mode: 'read' | 'replace' | 'append'): Promise<void> {
    const { files } = this.#shell.port
    if (path === '/dev/null') return this.#set(from, nowhere)
    if (files === undefined)
      throw new UnsupportedCommand(`the redirection ${mode === 'read' ? '<' : '>'}${path}`)
    if (mode !== 'read' && path === '/dev/stdout') return this.#set(from, this.out)
    if (mode !== 'read' && path === '/dev/stderr') return this.#set(from, this.err)
    const target = posix.resolve(this.#shell.folder, path)
    if (mode === 'read') {
      if (files.statusOf(target)?.type === 'folder') this.input = { text: '' }
      else this.input = { text: decodeBytes(files.read(target)) }
      return
    }
    const sink = await openSink(files, target, mode)
    this.sinks.push(sink)
    this.#set(from, (text) => sink.write(text))
  }
}

/** Returns undefined, and prints a message, if a file cannot be opened. */
export const redirect = async (
  shell: Shell,
  redirections: readonly Redirection[],
  streams: Streams,
  expansion: Expansion,
): Promise<RedirectedStreams | undefined> => {
  if (redirections.length === 0) return { streams, sinks: [] }
  const redirector = new Redirector(shell, streams, expansion)
  for (const redirection of redirections) {
    try {
      await redirector.apply(redirection)
    } catch (error) {
      if (typeof (error as { code?: unknown }).code !== 'string') throw error
      const { to } = redirection
      const target = to !== 'closed' && 'file' in to ? to : undefined
      const isCreated = target?.mode !== 'read'
      const path = target === undefined ? '' : await expandText(target.file, expansion)
      complain(
        shell,
        streams,
        `cannot ${isCreated ? 'create' : 'open'} ${path}: ${reasonOf(error, isCreated)}`,
      )
      for (const sink of redirector.sinks) await sink.close()
      return undefined
    }
  }
  const { input, out, err, sinks } = redirector
  return { streams: { input, out, err }, sinks }
}

/** Closes the files. Returns the code of the command: 1 if its output could not be written. */
export const closeSinks = async (
  sinks: readonly FileSink[],
  code: number,
  streams: Streams,
  name: string,
): Promise<number> => {
  let result = code
  for (const sink of sinks) {
    const failure = (await sink.close()) as (Error & { code?: string }) | undefined
    if (failure === undefined) continue
    const reason = failure.code === 'ENOSPC' ? 'No space left on device' : 'Input/output error'
    streams.err(`${name}: write error: ${reason}\n`)
    result = 1
  }
  return result
}
