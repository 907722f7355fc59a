/** The kernel file systems of a container, with masked and read-only paths. */
import type { OciMount } from './oci-spec.ts'

const SAFE_OPTIONS = ['nosuid', 'noexec', 'nodev']

/** /proc, /dev and shared memory, which every program needs. */
export const PROCESS_MOUNTS: readonly OciMount[] = [
  { destination: '/proc', type: 'proc', source: 'proc', options: SAFE_OPTIONS },
  {
    destination: '/dev',
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
  },
  {
    destination: '/dev/pts',
    type: 'devpts',
    source: 'devpts',
    options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'],
  },
  {
    destination: '/dev/shm',
    type: 'tmpfs',
    source: 'shm',
    options: [...SAFE_OPTIONS, 'mode=1777', 'size=65536k'],
  },
]

export const SYSTEM_MOUNTS: readonly OciMount[] = [
  ...PROCESS_MOUNTS,
  { destination: '/dev/mqueue', type: 'mqueue', source: 'mqueue', options: SAFE_OPTIONS },
  { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...SAFE_OPTIONS, 'ro'] },
  {
    destination: '/sys/fs/cgroup',
    type: 'cgroup',
    source: 'cgroup',
    options: [...SAFE_OPTIONS, 'relatime', 'ro'],
  },
]

export const MASKED_PATHS: readonly string[] = [
  ...['/proc/acpi', '/proc/asound', '/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/latency_stats'],
  ...['/proc/timer_list', '/proc/timer_stats', '/proc/sched_debug', '/proc/scsi', '/sys/firmware'],
  ...['/sys/devices/virtual/powercap'],
]

export const READ_ONLY_PATHS: readonly string[] = [
  ...['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
]
