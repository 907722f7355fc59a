/** The seccomp profiles, which refuse system calls that leave the container or affect the whole machine. */
import type { OciSeccomp } from './oci-spec.ts'

const EPERM = 1
const ENOSYS = 38
const CLONE_NEWUSER = 0x1000_0000
const F_SETLEASE = 1024
const AF_VSOCK = 40
const POSIX_FADV_DONTNEED = 4

const MOUNT_CALLS = [
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
const KERNEL_CALLS = [
  ...['init_module', 'finit_module', 'delete_module', 'create_module', 'query_module', 'kexec_load'],
  ...['kexec_file_load', 'bpf', 'perf_event_open', 'userfaultfd', 'lookup_dcookie', 'syslog'],
  ...['add_key', 'keyctl', 'request_key', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'],
  // Reports and opens files that other processes access anywhere on a file system.
  'fanotify_init',
]
const MACHINE_CALLS = [
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

/** Calls that read or change other processes. With them, a command in a container could change a service in memory. */
const INSPECTION_CALLS = [
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'process_madvise',
  'kcmp',
  'pidfd_getfd',
]

const ARCHITECTURES: Readonly<Record<string, readonly string[]>> = {
  x64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  arm64: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'],
}

const createsUserNamespace = {
  index: 0,
  value: CLONE_NEWUSER,
  valueTwo: CLONE_NEWUSER,
  op: 'SCMP_CMP_MASKED_EQ',
}

/** A lease on a file shared with the host would block programs of the host. */
const takesLease = { index: 1, value: F_SETLEASE, valueTwo: 0, op: 'SCMP_CMP_EQ' }
/** AF_VSOCK is not limited by network namespaces: it reaches the machine and its hypervisor. */
const usesVsock = { index: 0, value: AF_VSOCK, valueTwo: 0, op: 'SCMP_CMP_EQ' }

/** The profile of all containers. */
export const seccompProfile: OciSeccomp = {
  defaultAction: 'SCMP_ACT_ALLOW',
  architectures: ARCHITECTURES[process.arch] ?? [],
  syscalls: [
    {
      names: [...MOUNT_CALLS, ...KERNEL_CALLS, ...MACHINE_CALLS, ...INSPECTION_CALLS],
      action: 'SCMP_ACT_ERRNO',
      errnoRet: EPERM,
    },
    { names: ['clone', 'unshare'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args: [createsUserNamespace] },
    { names: ['fcntl', 'fcntl64'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args: [takesLease] },
    { names: ['socket'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args: [usesVsock] },
    // Its flags are in memory, which a filter cannot read; with ENOSYS the C library falls back to clone.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  ],
}

/** Calls that create namespaces, control NUMA or are obsolete. No operator tool needs them. */
const NEEDLESS_CALLS = [
  ...[
    'unshare',
    'mbind',
    'migrate_pages',
    'move_pages',
    'set_mempolicy',
    'set_mempolicy_home_node',
    'personality',
  ],
  ...['name_to_handle_at', 'modify_ldt', 'uselib', 'ustat', 'sysfs', '_sysctl', 'memfd_secret', 'vmsplice'],
]
/** The flags of clone for all kinds of namespaces. */
const NAMESPACE_FLAGS = [0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x2000_0000, 0x4000_0000]
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK. */
const ALLOWED_FAMILIES = [1, 2, 10, 16]
const MAX_FAMILY = 16

const refuseCall = (name: string, op: string, value: number, valueTwo = 0) => ({
  names: [name],
  action: 'SCMP_ACT_ERRNO',
  errnoRet: EPERM,
  args: [{ index: 0, value, valueTwo, op }],
})

/**
 * A program must not drop the pages of files that others have read: a later program could ask which files are cached. It is
 * told that it succeeded, since the call is only advice.
 */
const dropsCachedPages = { index: 3, value: POSIX_FADV_DONTNEED, valueTwo: 0, op: 'SCMP_CMP_EQ' }

/** The profile of untrusted programs: the minimum that shells, Python and Go need. */
export const strictSeccompProfile: OciSeccomp = {
  ...seccompProfile,
  // Refuses other architectures, whose calls may pass arguments in memory that a filter cannot read.
  architectures: seccompProfile.architectures.slice(0, 1),
  syscalls: [
    ...seccompProfile.syscalls,
    { names: NEEDLESS_CALLS, action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
    { names: ['fadvise64'], action: 'SCMP_ACT_ERRNO', errnoRet: 0, args: [dropsCachedPages] },
    ...NAMESPACE_FLAGS.map((flag) => refuseCall('clone', 'SCMP_CMP_MASKED_EQ', flag, flag)),
    refuseCall('socket', 'SCMP_CMP_GT', MAX_FAMILY),
    ...Array.from({ length: MAX_FAMILY }, (_, family) => family)
      .filter((family) => !ALLOWED_FAMILIES.includes(family))
      .map((family) => refuseCall('socket', 'SCMP_CMP_EQ', family)),
  ],
}
