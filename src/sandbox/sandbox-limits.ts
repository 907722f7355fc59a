/** What a program in a sandbox may use of the machine. */

export interface SandboxLimits {
  /** Milliseconds that one run may take. */
  readonly timeoutMs: number
  readonly cores: number
  /** Files in its folders count too. */
  readonly memoryBytes: number
  readonly processes: number
  /** Of one file. */
  readonly fileBytes: number
  /** All files of the folder that stays from one run to the next. */
  readonly workBytes: number
  /** All files of its temporary folder. */
  readonly temporaryBytes: number
  /** Of all that it says; beyond this it is ended. */
  readonly outputBytes: number
  /** Of each stream, at its beginning and again at its end. */
  readonly keptBytes: number
  /** To the API server, at the same time. */
  readonly connections: number
}

const MEBIBYTE = 2 ** 20

export const DEFAULT_LIMITS: SandboxLimits = {
  timeoutMs: 300_000,
  cores: 2,
  memoryBytes: 1024 * MEBIBYTE,
  processes: 256,
  fileBytes: 64 * MEBIBYTE,
  workBytes: 64 * MEBIBYTE,
  temporaryBytes: 128 * MEBIBYTE,
  outputBytes: 16 * MEBIBYTE,
  keptBytes: 64 * 2 ** 10,
  connections: 64,
}
