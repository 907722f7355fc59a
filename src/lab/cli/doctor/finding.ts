/** The result of a check of this machine. */
import { spawnSync } from 'node:child_process'

export interface Finding {
  readonly name: string
  readonly present: boolean
  /** The result of the check, such as a version or a path. */
  readonly found?: string
  /** How to install the missing requirement. */
  readonly remedy?: string
}

const TIMEOUT_MS = 10_000

/** Returns the first line that a program prints, which is usually its version. */
export const firstLine = (path: string, ...args: string[]): string =>
  spawnSync(path, args, { encoding: 'utf8', timeout: TIMEOUT_MS }).stdout?.split('\n')[0]?.trim() ?? ''

export const present = (name: string, found: string): Finding => ({ name, present: true, found })
export const absent = (name: string, remedy: string): Finding => ({ name, present: false, remedy })
