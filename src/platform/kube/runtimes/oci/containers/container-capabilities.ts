/** The capabilities of a container: containerd's default set, with the additions and removals of the container. */
import type { Capabilities } from 'kubernetes-types/core/v1.d.ts'
import { ContainerStartError } from '#platform/kube/ports'

const DEFAULT_SET = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['NET_RAW', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]

/** The capabilities that a container may add: each acts only on the pod's own namespaces. */
const ALLOWED = [...DEFAULT_SET, 'IPC_LOCK', 'IPC_OWNER', 'NET_ADMIN', 'NET_BROADCAST']

/**
 * The capabilities that are ignored; the container runs without them. `SYS_PTRACE` would give access to the processes
 * that enter the container for commands and probes while they still have all privileges. Processes of the same user
 * can be traced without it. `SYS_NICE` permits priorities that bypass CPU limits, and `SYS_RESOURCE` raises limits.
 */
const IGNORED = ['SYS_PTRACE', 'SYS_NICE', 'SYS_RESOURCE']

/**
 * The capabilities that an ephemeral container does not get. With them, it could inspect and undo injected network
 * faults. Tools that inspect and capture traffic work without them.
 */
const NOT_FOR_EPHEMERAL = ['NET_ADMIN']

/** The capabilities that are refused, with their effect on the machine that the cluster runs on. */
const REFUSED: Readonly<Record<string, string>> = {
  AUDIT_CONTROL: 'changes the audit rules of the machine',
  AUDIT_READ: 'reads the audit log of the machine',
  BLOCK_SUSPEND: 'prevents the machine from suspending',
  BPF: 'loads programs into the kernel',
  CHECKPOINT_RESTORE: 'chooses process IDs and reads the memory maps of other processes',
  DAC_READ_SEARCH: 'opens any file on the disk by its inode number',
  LEASE: 'blocks access to files that it shares with the machine',
  LINUX_IMMUTABLE: 'makes files that cannot be removed',
  MAC_ADMIN: 'changes the security policy of the machine',
  MAC_OVERRIDE: 'bypasses the security policy of the machine',
  PERFMON: 'monitors the kernel',
  SYS_ADMIN: 'mounts, freezes and monitors file systems',
  SYS_BOOT: 'stops the machine',
  SYS_MODULE: 'loads modules into the kernel',
  SYS_PACCT: 'switches the process accounting of the machine on and off',
  SYS_RAWIO: 'reads and writes memory and ports of the machine',
  SYS_TIME: 'sets the clock of the machine',
  SYS_TTY_CONFIG: 'hangs up terminals of the machine',
  SYSLOG: 'reads the log of the kernel',
  WAKE_ALARM: 'wakes the machine',
}

const normalise = (name: string): string => name.toUpperCase().replace(/^CAP_/, '')

const checkCapability = (name: string): void => {
  if (name in REFUSED)
    throw new ContainerStartError(
      `failed to create containerd container: capability ${name}, which ${REFUSED[name]}, is not allowed in this cluster`,
      'create',
    )
  if (name !== 'ALL' && !ALLOWED.includes(name) && !IGNORED.includes(name))
    throw new ContainerStartError(
      `failed to create containerd container: failed to generate container spec: unknown capability "CAP_${name}"`,
      'create',
    )
}

/**
 * Returns names such as `CAP_CHOWN`. `ALL` means all allowed capabilities. Throws ContainerStartError for a capability
 * that is refused or does not exist.
 */
export const capabilitiesOf = (
  { add = [], drop = [] }: Capabilities = {},
  isEphemeral = false,
): readonly string[] => {
  const added = add.map(normalise)
  const dropped = new Set(drop.map(normalise))
  for (const name of added) checkCapability(name)
  const initial = dropped.has('ALL') ? [] : added.includes('ALL') ? ALLOWED : DEFAULT_SET
  const kept = initial.filter((name) => !dropped.has(name))
  const allowed = added.filter((name) => ALLOWED.includes(name))
  return [...new Set([...kept, ...allowed])]
    .filter((name) => !(isEphemeral && NOT_FOR_EPHEMERAL.includes(name)))
    .map((name) => `CAP_${name}`)
}
