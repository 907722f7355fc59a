/** The programs and permissions that local clusters require on the host. */
import { readFileSync } from 'node:fs'
import { findExecutable } from '#kit'
import { RemediumError } from '#spec'

export interface RequiredProgram {
  readonly program: string
  /** The Debian package. */
  readonly packageName: string
  /** Arguments that print the version. */
  readonly versionArguments: readonly string[]
  readonly requiredFor: string
}

/** The complete list; add new programs here. */
export const REQUIRED_PROGRAMS: readonly RequiredProgram[] = [
  { program: 'runc', packageName: 'runc', versionArguments: ['--version'], requiredFor: 'containers' },
  { program: 'ip', packageName: 'iproute2', versionArguments: ['-V'], requiredFor: 'the network of pods' },
  { program: 'tc', packageName: 'iproute2', versionArguments: ['-V'], requiredFor: 'bandwidth faults' },
  {
    program: 'nft',
    packageName: 'nftables',
    versionArguments: ['--version'],
    requiredFor: 'services and policies',
  },
  {
    program: 'iptables',
    packageName: 'iptables',
    versionArguments: ['--version'],
    requiredFor: 'packet faults',
  },
  { program: 'ping', packageName: 'iputils-ping', versionArguments: ['-V'], requiredFor: 'ping in pods' },
  {
    program: 'stress-ng',
    packageName: 'stress-ng',
    versionArguments: ['--version'],
    requiredFor: 'stress faults',
  },
  {
    program: 'ps',
    packageName: 'procps',
    versionArguments: ['--version'],
    requiredFor: 'ps and top in pods',
  },
  {
    program: 'nsenter',
    packageName: 'util-linux',
    versionArguments: ['--version'],
    requiredFor: 'faults in pods',
  },
  { program: 'curl', packageName: 'curl', versionArguments: ['--version'], requiredFor: 'curl in pods' },
  { program: 'wget', packageName: 'wget', versionArguments: ['--version'], requiredFor: 'wget in pods' },
  {
    program: 'python3',
    packageName: 'python3',
    versionArguments: ['--version'],
    requiredFor: 'Python images',
  },
]

export const missingPrograms = (): RequiredProgram[] =>
  REQUIRED_PROGRAMS.filter(({ program }) => findExecutable(program) === undefined)

/** The command that installs the programs on Debian. */
export const installCommand = (programs: readonly RequiredProgram[]): string =>
  `apt-get install ${[...new Set(programs.map(({ packageName }) => packageName))].join(' ')}`

/** The capabilities that local clusters require, and their bits. */
const REQUIRED_CAPABILITIES = { CAP_NET_ADMIN: 12n, CAP_SYS_PTRACE: 19n, CAP_SYS_ADMIN: 21n }

/** Root may lack capabilities in a container. */
const missingCapabilities = (): string[] => {
  const effective = BigInt(`0x${/^CapEff:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]}`)
  return Object.entries(REQUIRED_CAPABILITIES)
    .filter(([, bit]) => ((effective >> bit) & 1n) === 0n)
    .map(([name]) => name)
}

/** The user may want to run problems, which need real containers. */
const SIMULATION_HINT =
  '"remedium cluster up --engine sim" starts a simulated cluster, which cannot run problems.'

/** The permissions that the user lacks, in one sentence; undefined if none is missing. */
export const missingPermissions = (): { message: string; hint: string } | undefined => {
  if (process.getuid?.() !== 0) {
    return {
      message: 'Real containers need root, for namespaces and control groups.',
      hint: `Run Remedium as root. ${SIMULATION_HINT}`,
    }
  }
  const missing = missingCapabilities()
  if (missing.length === 0) return undefined
  return {
    message: `Real containers need capabilities that root lacks here: ${missing.join(', ')}.`,
    hint: `Start the container of Remedium with --privileged. ${SIMULATION_HINT}`,
  }
}

/** Throws if permissions or programs are missing on this machine. */
export const checkMachine = (): void => {
  const permissions = missingPermissions()
  if (permissions !== undefined)
    throw new RemediumError('not-permitted', permissions.message, { hint: permissions.hint })
  const missing = missingPrograms()
  if (missing.length > 0) {
    const names = missing.map(({ program }) => program).join(', ')
    throw new RemediumError(
      'tool-missing',
      `Real containers need programs that are not installed: ${names}.`,
      {
        hint: `Install them with the package manager; on Debian: ${installCommand(missing)}`,
      },
    )
  }
}
