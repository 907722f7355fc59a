/** Checks the requirements of a sandbox on this machine. */
import { findExecutable } from '#kit'
import { RemediumError } from '#spec'

/** The required programs with their Debian packages. */
const PROGRAMS: Readonly<Record<string, string>> = {
  runc: 'runc',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
}

/** Throws a RemediumError that names the missing requirement. */
export const checkSandboxMachine = (): void => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new RemediumError(
      'not-permitted',
      'A sandbox needs Linux and root, for namespaces and control groups.',
      {
        hint: 'Run Remedium as root.',
      },
    )
  const missing = Object.keys(PROGRAMS).filter((program) => findExecutable(program) === undefined)
  if (missing.length > 0)
    throw new RemediumError(
      'tool-missing',
      `A sandbox needs programs that are not installed: ${missing.join(', ')}.`,
      {
        hint: `On Debian: apt-get install ${[...new Set(missing.map((program) => PROGRAMS[program]))].join(' ')}`,
      },
    )
}

/** Wraps an error of a machine that does not permit a sandbox. */
export const toMachineError = (cause: unknown): RemediumError =>
  cause instanceof RemediumError
    ? cause
    : new RemediumError(
        'not-permitted',
        `This machine does not permit a sandbox (${(cause as Error).message}).`,
        {
          hint: 'Namespaces, control groups and tmpfs must be allowed: in a container, start it with --privileged.',
          cause,
        },
      )
