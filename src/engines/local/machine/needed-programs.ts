/** The programs of the host that local clusters use, and the Debian packages that bring them. */
import { findExecutable } from '../../../kit/index.ts'
import { RemediumError } from '../../../spec/index.ts'

export interface NeededProgram {
  readonly program: string
  /** Of Debian. */
  readonly packageName: string
  /** Makes it say its version. */
  readonly versionArguments: readonly string[]
  readonly neededFor: string
}

/** The one list: whoever needs another program adds it here. */
export const NEEDED_PROGRAMS: readonly NeededProgram[] = [
  { program: 'runc', packageName: 'runc', versionArguments: ['--version'], neededFor: 'containers' },
  { program: 'ip', packageName: 'iproute2', versionArguments: ['-V'], neededFor: 'the network of pods' },
  { program: 'tc', packageName: 'iproute2', versionArguments: ['-V'], neededFor: 'bandwidth faults' },
  {
    program: 'nft',
    packageName: 'nftables',
    versionArguments: ['--version'],
    neededFor: 'services and policies',
  },
  {
    program: 'iptables',
    packageName: 'iptables',
    versionArguments: ['--version'],
    neededFor: 'packet faults',
  },
  { program: 'ping', packageName: 'iputils-ping', versionArguments: ['-V'], neededFor: 'ping in pods' },
  {
    program: 'stress-ng',
    packageName: 'stress-ng',
    versionArguments: ['--version'],
    neededFor: 'stress faults',
  },
  { program: 'ps', packageName: 'procps', versionArguments: ['--version'], neededFor: 'ps and top in pods' },
  {
    program: 'nsenter',
    packageName: 'util-linux',
    versionArguments: ['--version'],
    neededFor: 'faults in pods',
  },
  { program: 'python3', packageName: 'python3', versionArguments: ['--version'], neededFor: 'Python images' },
]

export const missingPrograms = (): NeededProgram[] =>
  NEEDED_PROGRAMS.filter(({ program }) => findExecutable(program) === undefined)

/** The command that brings them on Debian. */
export const installCommand = (programs: readonly NeededProgram[]): string =>
  `apt-get install ${[...new Set(programs.map(({ packageName }) => packageName))].join(' ')}`

/** Throws one sentence that says what this machine lacks for local clusters, and how to get it. */
export const checkMachine = (): void => {
  if (process.platform !== 'linux') {
    throw new RemediumError('not-permitted', 'Live containers need Linux.', {
      hint: 'Use "--engine sim", which models them, on other systems.',
    })
  }
  if (process.getuid?.() !== 0) {
    throw new RemediumError(
      'not-permitted',
      'Live containers need root, for namespaces and control groups.',
      {
        hint: 'Run Remedium as root, or use "--engine sim", which models them.',
      },
    )
  }
  const missing = missingPrograms()
  if (missing.length > 0) {
    const names = missing.map(({ program }) => program).join(', ')
    throw new RemediumError('tool-missing', `Live containers need programs that are not here: ${names}.`, {
      hint: `On Debian: ${installCommand(missing)}`,
    })
  }
}
