/** Whether this machine has what a sandbox needs. */
import { findExecutable } from '../kit/index.ts'
import { RemediumError } from '../spec/index.ts'

/** With the Debian package of each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  runc: 'runc',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
}

/** Throws one sentence that says what is lacking. */
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
      `A sandbox needs programs that are not here: ${missing.join(', ')}.`,
      {
        hint: `On Debian: apt-get install ${[...new Set(missing.map((program) => PROGRAMS[program]))].join(' ')}`,
      },
    )
}

/** What a machine says that does not allow what is needed. */
export const toMachineError = (cause: unknown): RemediumError =>
  cause instanceof RemediumError
    ? cause
    : new RemediumError('not-permitted', `This machine allows no sandbox (${(cause as Error).message}).`, {
        hint: 'Namespaces, control groups and tmpfs must be allowed: in a container, start it with --privileged.',
        cause,
      })
