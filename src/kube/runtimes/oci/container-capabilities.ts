/** What a container's root may do: containerd's usual set, with what the container adds and drops. */
import type { Capabilities } from 'kubernetes-types/core/v1.d.ts'
import { ContainerStartError } from '../../ports/index.ts'

const USUAL = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['NET_RAW', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]

/** What a container may ask for besides: each acts on the pod's own namespaces and no further. */
const OFFERED = [...USUAL, 'IPC_LOCK', 'IPC_OWNER', 'NET_ADMIN', 'NET_BROADCAST']

/**
 * What a container does not get though it asks: it runs without. `SYS_PTRACE` would open to it the processes by which
 * commands and probes come into the container, which still have all powers; among equals tracing needs no capability.
 * `SYS_NICE` gives priorities that no CPU limit holds, and `SYS_RESOURCE` lifts limits: programs get along without.
 */
const LEFT_OUT = ['SYS_PTRACE', 'SYS_NICE', 'SYS_RESOURCE']

/**
 * What an ephemeral container does not get either: with it, it would see and undo what is done to the pod's network
 * from outside. What it can do to look at the network, to listen too, it can do without.
 */
const NOT_FOR_VISITORS = ['NET_ADMIN']

/** What a container is refused for, by what it would do to the machine that the cluster runs on. */
const REFUSED: Readonly<Record<string, string>> = {
  AUDIT_CONTROL: 'changes the audit rules of the machine',
  AUDIT_READ: 'reads the audit log of the machine',
  BLOCK_SUSPEND: 'keeps the machine from sleeping',
  BPF: 'loads programs into the kernel',
  CHECKPOINT_RESTORE: 'chooses process numbers and reads the memory maps of others',
  DAC_READ_SEARCH: 'opens files by their numbers on the disk, wherever they lie',
  LEASE: 'keeps others from files that it shares with the machine',
  LINUX_IMMUTABLE: 'makes files that nobody can remove any more',
  MAC_ADMIN: 'changes the security policy of the machine',
  MAC_OVERRIDE: 'is above the security policy of the machine',
  PERFMON: 'watches the kernel',
  SYS_ADMIN: 'mounts, freezes and watches whole file systems',
  SYS_BOOT: 'stops the machine',
  SYS_MODULE: 'loads modules into the kernel',
  SYS_PACCT: 'switches the accounting of the machine',
  SYS_RAWIO: 'reads and writes memory and ports of the machine',
  SYS_TIME: 'sets the clock of the machine',
  SYS_TTY_CONFIG: 'hangs up terminals of the machine',
  SYSLOG: 'reads the log of the kernel',
  WAKE_ALARM: 'wakes the machine',
}

const plain = (name: string): string => name.toUpperCase().replace(/^CAP_/, '')

const check = (name: string): void => {
  if (name in REFUSED)
    throw new ContainerStartError(
      `failed to create containerd container: capability ${name} ${REFUSED[name]}, and is not given to pods of this cluster`,
      'create',
    )
  if (name !== 'ALL' && !OFFERED.includes(name) && !LEFT_OUT.includes(name))
    throw new ContainerStartError(
      `failed to create containerd container: failed to generate container spec: unknown capability "CAP_${name}"`,
      'create',
    )
}

/**
 * `CAP_CHOWN` and so on; throws ContainerStartError for one that leads out of the container, or that does not exist.
 * `ALL` are all that are offered. A visitor is an ephemeral container, in a pod that others made.
 */
export const capabilitiesOf = (
  { add = [], drop = [] }: Capabilities = {},
  isVisitor = false,
): readonly string[] => {
  const added = add.map(plain)
  const dropped = new Set(drop.map(plain))
  for (const name of added) check(name)
  const start = dropped.has('ALL') ? [] : added.includes('ALL') ? OFFERED : USUAL
  const kept = start.filter((name) => !dropped.has(name))
  const wanted = added.filter((name) => OFFERED.includes(name))
  return [...new Set([...kept, ...wanted])]
    .filter((name) => !(isVisitor && NOT_FOR_VISITORS.includes(name)))
    .map((name) => `CAP_${name}`)
}
