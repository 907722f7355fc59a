/** Installs packages of Debian, by root and where apt-get is. */
import { spawnSync } from 'node:child_process'
import { findExecutable } from '../../kit/index.ts'

/** Runs a program to its end; throws with the last line it said when it fails. */
export const callProgram = (program: string, args: string[], cwd?: string): string => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (status === 0) return stdout
  const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? ''
  throw new Error(`${program} ${args.at(-1)}: ${reason}`)
}

/** REMEDIUM_INSTALL=no keeps Remedium from installing anything by itself. */
export const mayInstall = (): boolean =>
  process.getuid?.() === 0 && findExecutable('apt-get') !== undefined && process.env.REMEDIUM_INSTALL !== 'no'

export const installDebianPackages = (packages: readonly string[]): void => {
  const patience = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3']
  let outdated: unknown
  try {
    callProgram('apt-get', [...patience, 'update', '-qq'])
  } catch (error) {
    // One archive of many may be ill, and the packages come from another.
    outdated = error
  }
  try {
    callProgram('apt-get', [...patience, 'install', '-y', '-qq', '--no-install-recommends', ...packages])
  } catch (error) {
    throw outdated ?? error
  }
}
