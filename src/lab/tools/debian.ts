/** Installs Debian packages. Requires root and apt-get. */
import { spawnSync } from 'node:child_process'
import { findExecutable } from '#kit'
import { RemediumError } from '#spec'

/** Runs a program and returns its output. If it fails, throws an error with the last line of its error output. */
export const callProgram = (program: string, args: string[], cwd?: string): string => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (status === 0) return stdout
  const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? ''
  throw new RemediumError('tool-failed', `${program} ${args.at(-1)} failed: ${reason}`)
}

/** REMEDIUM_INSTALL=no forbids installing. */
export const mayInstall = (): boolean =>
  process.getuid?.() === 0 && findExecutable('apt-get') !== undefined && process.env.REMEDIUM_INSTALL !== 'no'

export const installDebianPackages = (packages: readonly string[]): void => {
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3']
  let updateError: unknown
  try {
    callProgram('apt-get', [...options, 'update', '-qq'])
  } catch (error) {
    // If only one of several archives failed, the packages may still be available from another.
    updateError = error
  }
  try {
    callProgram('apt-get', [...options, 'install', '-y', '-qq', '--no-install-recommends', ...packages])
  } catch (error) {
    throw updateError ?? error
  }
}
