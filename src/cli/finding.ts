/** What a check of this machine found, or how to get what it did not find. */
import { spawnSync } from 'node:child_process'

export interface Finding {
  readonly name: string
  readonly present: boolean
  /** What was found, such as a version and a path. */
  readonly found?: string
  /** How to get what is missing. */
  readonly remedy?: string
}

const PATIENCE_MS = 10_000

/** What a program says first: most say their version. */
export const firstLine = (path: string, ...args: string[]): string =>
  spawnSync(path, args, { encoding: 'utf8', timeout: PATIENCE_MS }).stdout?.split('\n')[0]?.trim() ?? ''

export const present = (name: string, found: string): Finding => ({ name, present: true, found })
export const absent = (name: string, remedy: string): Finding => ({ name, present: false, remedy })
