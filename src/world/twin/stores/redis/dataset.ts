/** The data of a Redis server: numbered databases, a memory limit and an append-only file. */

import type { StoreHost } from '../store-host.ts'
import type { Command, Commands } from './commands/command.ts'
import { HASHES } from './commands/hashes.ts'
import { KEYS } from './commands/keys.ts'
import { LISTS_AND_SETS } from './commands/lists-and-sets.ts'
import { SORTED_SETS } from './commands/sorted-sets.ts'
import { STRINGS } from './commands/strings.ts'
import { Keyspace } from './keyspace.ts'
import { openAppendOnlyFile, type Persistence } from './persistence.ts'
import { encodeCommand, RedisError, type Reply } from './resp.ts'

const COMMANDS: Commands = { ...KEYS, ...STRINGS, ...HASHES, ...LISTS_AND_SETS, ...SORTED_SETS }

export const DATABASES = 16

/** Minimum time between two measurements of the memory while it is full. */
const MIN_MEASURE_INTERVAL_MS = 100

export const findCommand = (name: string): Command | undefined =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined

export const checkArity = (name: string, arity: number, words: readonly string[]): void => {
  if (arity >= 0 ? words.length === arity : words.length >= -arity) return
  throw new RedisError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`)
}

export class Dataset {
  readonly spaces: readonly Keyspace[]
  /** Bytes; 0 means no limit. */
  maxMemory = 0
  #file: Persistence | undefined
  /** Entries for the file since the last `settle`. */
  #unwritten = ''
  /** Writes are serialised: as in Redis, readers wait for them too. */
  #lastWrite = Promise.resolve()
  /** An upper bound for the used memory; measured again when it exceeds the limit. */
  #bytes = 0
  #fullUntil = 0

  readonly #host: StoreHost

  constructor(host: StoreHost) {
    this.#host = host
    this.spaces = Array.from({ length: DATABASES }, () => new Keyspace(this.now))
    for (const [database, space] of this.spaces.entries())
      space.onExpired = (key) => {
        if (this.#file !== undefined) this.#logCommand(database, ['DEL', key])
      }
  }

  /** Whole milliseconds since the epoch. */
  readonly now = (): number => Math.floor(this.#host.time.now())

  /** A file larger than `rewriteBytes` is rewritten each time its size has doubled. */
  async open(
    folder: string,
    log: (level: 'warn' | 'info', text: string) => void,
    rewriteBytes?: number,
  ): Promise<void> {
    const listeners = this.spaces.map(({ onExpired }) => onExpired)
    // The file contains deletions of expired keys. Expiry during the replay would change the effect of
    // earlier commands.
    for (const space of this.spaces) space.onExpired = undefined
    let database = 0
    const replay = (words: readonly string[]): void => {
      const name = words[0]?.toUpperCase() ?? ''
      if (name === 'SELECT') database = Number(words[1])
      else findCommand(name)?.run(this.spaces[database] ?? this.spaces[0]!, words)
    }
    this.#file = await openAppendOnlyFile(this.#host, {
      folder,
      replay,
      dump: () => this.#dump(),
      log,
      rewriteBytes,
    })
    for (const [index, space] of this.spaces.entries()) space.onExpired = listeners[index]
    this.#bytes = this.usedMemory()
  }

  usedMemory(): number {
    return this.spaces.reduce((sum, space) => sum + space.bytes(), 0)
  }

  get writeFailure(): RedisError | undefined {
    return this.#file?.failure
  }

  /** Throws a RedisError. Changes are durable when `settle` has resolved. */
  run(database: number, name: string, command: Command, words: readonly string[]): Reply {
    checkArity(name, command.arity, words)
    if (command.isWrite) this.#admit(command, words)
    // Converted before the command runs, while relative times still refer to the present.
    const logged =
      command.isWrite && this.#file !== undefined
        ? (command.toLogged?.(words, this.now()) ?? words)
        : undefined
    const reply = command.run(this.spaces[database]!, words)
    if (logged !== undefined) this.#logCommand(database, logged)
    return reply
  }

  /** Resolves when the kernel has all changes so far; rejects with a RedisError. */
  async settle(): Promise<void> {
    const text = this.#unwritten
    this.#unwritten = ''
    if (text === '' || this.#file === undefined) return this.#lastWrite
    const written = this.#file.append(text)
    this.#lastWrite = written.catch(() => {})
    await written
  }

  /** Whether a restart would restore the data. */
  async isIntact(): Promise<boolean> {
    return this.#file?.isIntact() ?? true
  }

  async close(): Promise<void> {
    await this.settle().catch(() => undefined)
    await this.#file?.close()
  }

  #admit(command: Command, words: readonly string[]): void {
    if (this.#file?.failure !== undefined) throw this.#file.failure
    if (!command.needsMemory || this.maxMemory === 0) return
    this.#bytes += words.reduce((sum, word) => sum + word.length + 56, 0)
    if (this.#bytes > this.maxMemory && this.now() >= this.#fullUntil) {
      this.#bytes = this.usedMemory()
      if (this.#bytes > this.maxMemory) this.#fullUntil = this.now() + MIN_MEASURE_INTERVAL_MS
    }
    if (this.#bytes > this.maxMemory)
      throw new RedisError("OOM command not allowed when used memory > 'maxmemory'.")
  }

  #logCommand(database: number, words: readonly string[]): void {
    const text = encodeCommand(words)
    this.#unwritten +=
      database === 0
        ? text
        : encodeCommand(['SELECT', String(database)]) + text + encodeCommand(['SELECT', '0'])
  }

  *#dump(): Iterable<string> {
    for (const [database, space] of this.spaces.entries()) {
      if (space.keys().length === 0) continue
      yield encodeCommand(['SELECT', String(database)])
      yield* space.commands()
    }
    yield encodeCommand(['SELECT', '0'])
  }
}
