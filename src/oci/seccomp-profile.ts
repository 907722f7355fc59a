/** The system calls that no container has any business with: they lead out of it, or act on the whole machine. */
import type { OciSeccomp } from './oci-spec.ts'

const EPERM = 1
const ENOSYS = 38
const CLONE_NEWUSER = 0x1000_0000
const F_SETLEASE = 1024
const AF_VSOCK = 40

const MOUNTS = [
  ...[
    'mount',
    'umount',
    'umount2',
    'pivot_root',
    'move_mount',
    'open_tree',
    'open_tree_attr',
    'mount_setattr',
  ],
  ...['fsopen', 'fsconfig', 'fsmount', 'fspick', 'open_by_handle_at'],
]
const KERNEL = [
  ...['init_module', 'finit_module', 'delete_module', 'create_module', 'query_module', 'kexec_load'],
  ...['kexec_file_load', 'bpf', 'perf_event_open', 'userfaultfd', 'lookup_dcookie', 'syslog'],
  ...['add_key', 'keyctl', 'request_key', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'],
  // Can be told of, and be handed, what others do anywhere on a file system.
  'fanotify_init',
]
const MACHINE = [
  ...[
    'reboot',
    'swapon',
    'swapoff',
    'acct',
    'quotactl',
    'quotactl_fd',
    'iopl',
    'ioperm',
    'nfsservctl',
    'vhangup',
  ],
  ...['settimeofday', 'stime', 'clock_settime', 'clock_settime64', 'sethostname', 'setdomainname', 'setns'],
]

const ARCHITECTURES: Readonly<Record<string, readonly string[]>> = {
  x64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  arm64: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'],
}

const withNewUser = { index: 0, value: CLONE_NEWUSER, valueTwo: CLONE_NEWUSER, op: 'SCMP_CMP_MASKED_EQ' }

/** On files that it shares with the host, it would keep the host's own programs waiting. */
const takesLease = { index: 1, value: F_SETLEASE, valueTwo: 0, op: 'SCMP_CMP_EQ' }
/** No network namespace bounds it: it leads to the machine, and to the one that the machine itself runs on. */
const leadsToMachine = { index: 0, value: AF_VSOCK, valueTwo: 0, op: 'SCMP_CMP_EQ' }

/** Of all containers. */
export const seccompProfile: OciSeccomp = {
  defaultAction: 'SCMP_ACT_ALLOW',
  architectures: ARCHITECTURES[process.arch] ?? [],
  syscalls: [
    { names: [...MOUNTS, ...KERNEL, ...MACHINE], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
    { names: ['clone', 'unshare'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args: [withNewUser] },
    { names: ['fcntl', 'fcntl64'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args: [takesLease] },
    { names: ['socket'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args: [leadsToMachine] },
    // Its flags lie in memory, where no filter can see them: the C library then takes clone.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  ],
}

/** Looking into other processes, and memory that lies on chosen nodes: no tool of an operator needs them. */
const PRYING = [
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'kcmp', 'pidfd_getfd', 'unshare'],
  ...['mbind', 'migrate_pages', 'move_pages', 'set_mempolicy', 'set_mempolicy_home_node', 'personality'],
  ...['name_to_handle_at', 'modify_ldt', 'uselib', 'ustat', 'sysfs', '_sysctl', 'memfd_secret', 'vmsplice'],
]
/** Of new namespaces of any kind. */
const NAMESPACE_FLAGS = [0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x2000_0000, 0x4000_0000]
/** Sockets in files, of both versions of IP, and to ask the kernel for addresses. */
const FAMILIES = [1, 2, 10, 16]
const LARGEST_FAMILY = 16

const refused = (names: readonly string[], index: number, value: number, valueTwo: number, op: string) => ({
  names,
  action: 'SCMP_ACT_ERRNO',
  errnoRet: EPERM,
  args: [{ index, value, valueTwo, op }],
})

/** Of programs that strangers write: as little of the kernel as shells, Python and Go need. */
export const strictSeccompProfile: OciSeccomp = {
  ...seccompProfile,
  // Calls of other architectures end the program: old ones carry their arguments where no filter can see them.
  architectures: seccompProfile.architectures.slice(0, 1),
  syscalls: [
    ...seccompProfile.syscalls,
    { names: PRYING, action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
    ...NAMESPACE_FLAGS.map((flag) => refused(['clone'], 0, flag, flag, 'SCMP_CMP_MASKED_EQ')),
    refused(['socket'], 0, LARGEST_FAMILY, 0, 'SCMP_CMP_GT'),
    ...Array.from({ length: LARGEST_FAMILY }, (_, family) => family)
      .filter((family) => !FAMILIES.includes(family))
      .map((family) => refused(['socket'], 0, family, 0, 'SCMP_CMP_EQ')),
  ],
}
