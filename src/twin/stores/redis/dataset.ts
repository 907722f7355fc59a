/** The data of a Redis server and the commands on it, without clients: numbered databases, a bound of memory, a file. */
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

/** Memory that was found full is not counted more often. */
const COUNT_EVERY_MS = 100

export const commandOf = (name: string): Command | undefined =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined

export const checkArity = (name: string, arity: number, words: readonly string[]): void => {
  if (arity >= 0 ? words.length === arity : words.length >= -arity) return
  throw new RedisError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`)
}

export class Dataset {
  readonly spaces: readonly Keyspace[] = Array.from({ length: DATABASES }, () => new Keyspace())
  /** Bytes; 0 is no bound. */
  maxMemory = 0
  #file: Persistence | undefined
  /** What is written by the commands since the last `settle`. */
  #unwritten = ''
  /** Redis has one hand: while it writes, even those wait who only read. */
  #lastWrite = Promise.resolve()
  /** Never less than there is, and told anew when it is too much. */
  #bytes = 0
  #fullUntil = 0

  constructor() {
    for (const [database, space] of this.spaces.entries())
      space.onEnd = (key) => {
        if (this.#file !== undefined) this.#keep(database, ['DEL', key])
      }
  }

  /** `rewriteBytes`: from this size on the file is made anew when it has doubled. */
  async open(
    folder: string,
    log: (level: 'warn' | 'info', text: string) => void,
    rewriteBytes?: number,
  ): Promise<void> {
    const onEnds = this.spaces.map(({ onEnd }) => onEnd)
    // The file says itself what had ended when; what has ended since must not change what was done before.
    for (const space of this.spaces) space.onEnd = undefined
    let database = 0
    const replay = (words: readonly string[]): void => {
      const name = words[0]?.toUpperCase() ?? ''
      if (name === 'SELECT') database = Number(words[1])
      else commandOf(name)?.run(this.spaces[database] ?? this.spaces[0]!, words)
    }
    this.#file = await openAppendOnlyFile({ folder, replay, dump: () => this.#dump(), log, rewriteBytes })
    for (const [at, space] of this.spaces.entries()) space.onEnd = onEnds[at]
    this.#bytes = this.usedMemory()
  }

  usedMemory(): number {
    return this.spaces.reduce((sum, space) => sum + space.bytes(), 0)
  }

  get writeFailure(): RedisError | undefined {
    return this.#file?.failure
  }

  /** Throws a RedisError. What was changed is safe when `settle` has resolved. */
  run(database: number, name: string, command: Command, words: readonly string[]): Reply {
    checkArity(name, command.arity, words)
    if (command.write) this.#admit(command, words)
    // Before it runs: what is kept of times must be what they were when it ran.
    const kept = command.write && this.#file !== undefined ? (command.toKeep?.(words) ?? words) : undefined
    const reply = command.run(this.spaces[database]!, words)
    if (kept !== undefined) this.#keep(database, kept)
    return reply
  }

  /** Resolves when the kernel has all that was changed so far; rejects with a RedisError. */
  async settle(): Promise<void> {
    const text = this.#unwritten
    this.#unwritten = ''
    if (text === '' || this.#file === undefined) return this.#lastWrite
    const written = this.#file.append(text)
    this.#lastWrite = written.catch(() => {})
    await written
  }

  async close(): Promise<void> {
    await this.settle().catch(() => undefined)
    await this.#file?.close()
  }

  #admit(command: Command, words: readonly string[]): void {
    if (this.#file?.failure !== undefined) throw this.#file.failure
    if (!command.grows || this.maxMemory === 0) return
    this.#bytes += words.reduce((sum, word) => sum + word.length + 56, 0)
    if (this.#bytes > this.maxMemory && Date.now() >= this.#fullUntil) {
      this.#bytes = this.usedMemory()
      if (this.#bytes > this.maxMemory) this.#fullUntil = Date.now() + COUNT_EVERY_MS
    }
    if (this.#bytes > this.maxMemory)
      throw new RedisError("OOM command not allowed when used memory > 'maxmemory'.")
  }

  #keep(database: number, words: readonly string[]): void {
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
