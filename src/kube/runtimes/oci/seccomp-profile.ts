/** The system calls that no container has any business with: they lead out of it, or act on the whole machine. */
import type { OciSeccomp } from './oci-spec.ts'

const EPERM = 1
const ENOSYS = 38
const CLONE_NEWUSER = 0x1000_0000

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

export const seccompProfile: OciSeccomp = {
  defaultAction: 'SCMP_ACT_ALLOW',
  architectures: ARCHITECTURES[process.arch] ?? [],
  syscalls: [
    { names: [...MOUNTS, ...KERNEL, ...MACHINE], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
    { names: ['clone', 'unshare'], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM, args: [withNewUser] },
    // Its flags lie in memory, where no filter can see them: the C library then takes clone.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  ],
}
