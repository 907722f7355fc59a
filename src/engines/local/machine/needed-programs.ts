/** The programs of the host that local clusters use, and the Debian packages that bring them. */
import { readFileSync } from 'node:fs'
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
  { program: 'curl', packageName: 'curl', versionArguments: ['--version'], neededFor: 'curl in pods' },
  { program: 'wget', packageName: 'wget', versionArguments: ['--version'], neededFor: 'wget in pods' },
  { program: 'python3', packageName: 'python3', versionArguments: ['--version'], neededFor: 'Python images' },
]

export const missingPrograms = (): NeededProgram[] =>
  NEEDED_PROGRAMS.filter(({ program }) => findExecutable(program) === undefined)

/** The command that brings them on Debian. */
export const installCommand = (programs: readonly NeededProgram[]): string =>
  `apt-get install ${[...new Set(programs.map(({ packageName }) => packageName))].join(' ')}`

/** Numbers of the powers without which there are neither namespaces nor firewall rules. */
const NEEDED_POWERS = { CAP_NET_ADMIN: 12n, CAP_SYS_PTRACE: 19n, CAP_SYS_ADMIN: 21n }

/** Which of them even root has not: in a container it seldom has them all. */
const missingPowers = (): string[] => {
  const powers = BigInt(`0x${/^CapEff:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]}`)
  return Object.entries(NEEDED_POWERS)
    .filter(([, bit]) => ((powers >> bit) & 1n) === 0n)
    .map(([name]) => name)
}

/** Whoever reads it may have wanted problems, which need live containers. */
const MODELLED = '"remedium cluster up --engine sim" gives a modelled cluster, on which no problems run.'

/** What this user lacks for local clusters, in one sentence; nothing where he may all that is needed. */
export const missingRights = (): { message: string; hint: string } | undefined => {
  if (process.getuid?.() !== 0) {
    return {
      message: 'Live containers need root, for namespaces and control groups.',
      hint: `Run Remedium as root. ${MODELLED}`,
    }
  }
  const missing = missingPowers()
  if (missing.length === 0) return undefined
  return {
    message: `Live containers need powers that root has not here: ${missing.join(', ')}.`,
    hint: `Start the container in which this runs with --privileged. ${MODELLED}`,
  }
}

/** Throws one sentence that says what this machine lacks for local clusters, and how to get it. */
export const checkMachine = (): void => {
  const lacking = missingRights()
  if (lacking !== undefined) throw new RemediumError('not-permitted', lacking.message, { hint: lacking.hint })
  const missing = missingPrograms()
  if (missing.length > 0) {
    const names = missing.map(({ program }) => program).join(', ')
    throw new RemediumError('tool-missing', `Live containers need programs that are not here: ${names}.`, {
      hint: `Install them as this system does it; on Debian: ${installCommand(missing)}`,
    })
  }
}
