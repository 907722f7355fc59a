/** The resource limits of a sandbox. */

export interface SandboxLimits {
  /** The time limit of one run. */
  readonly timeoutMs: number
  readonly cores: number
  /** Includes files in its folders, which are in memory. */
  readonly memoryBytes: number
  readonly processes: number
  /** The size limit of one file. */
  readonly fileBytes: number
  /** The total size of `/work`, which is kept between runs. */
  readonly workBytes: number
  /** The total size of the temporary folder. */
  readonly temporaryBytes: number
  /** The limit of all output; the program is killed above it. */
  readonly outputBytes: number
  /** The number of bytes kept of the beginning and of the end of each stream. */
  readonly keptBytes: number
  /** The maximum number of concurrent connections to the API server. */
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
