/** What a container's root may do: containerd's usual set, with what the container adds and drops. */
import type { Capabilities } from 'kubernetes-types/core/v1.d.ts'

const USUAL = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['NET_RAW', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]
/** All that a container may ask for: none of them leads out of it under its seccomp profile. */
const OFFERED = [
  ...USUAL,
  ...[
    'AUDIT_CONTROL',
    'BLOCK_SUSPEND',
    'DAC_READ_SEARCH',
    'IPC_LOCK',
    'IPC_OWNER',
    'LEASE',
    'LINUX_IMMUTABLE',
  ],
  ...['NET_ADMIN', 'NET_BROADCAST', 'SYS_ADMIN', 'SYS_NICE', 'SYS_PACCT', 'SYS_PTRACE', 'SYS_TTY_CONFIG'],
]

const plain = (name: string): string => name.toUpperCase().replace(/^CAP_/, '')

/** `CAP_CHOWN` and so on. One that is not offered is left out, as where the node itself does not have it. */
export const capabilitiesOf = ({ add = [], drop = [] }: Capabilities = {}): readonly string[] => {
  const added = add.map(plain)
  const dropped = new Set(drop.map(plain))
  const start = dropped.has('ALL') ? [] : added.includes('ALL') ? OFFERED : USUAL
  const kept = start.filter((name) => !dropped.has(name))
  const wanted = added.filter((name) => OFFERED.includes(name))
  return [...new Set([...kept, ...wanted])].map((name) => `CAP_${name}`)
}
