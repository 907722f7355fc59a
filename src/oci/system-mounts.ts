/** The file systems of the kernel in a container, and what of them it does not see or cannot change. */
import type { OciMount } from './oci-spec.ts'

const SAFE = ['nosuid', 'noexec', 'nodev']

/** Processes, devices, shared memory: what every program takes for granted. */
export const PROCESS_MOUNTS: readonly OciMount[] = [
  { destination: '/proc', type: 'proc', source: 'proc', options: SAFE },
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
    options: [...SAFE, 'mode=1777', 'size=65536k'],
  },
]

export const SYSTEM_MOUNTS: readonly OciMount[] = [
  ...PROCESS_MOUNTS,
  { destination: '/dev/mqueue', type: 'mqueue', source: 'mqueue', options: SAFE },
  { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...SAFE, 'ro'] },
  { destination: '/sys/fs/cgroup', type: 'cgroup', source: 'cgroup', options: [...SAFE, 'relatime', 'ro'] },
]

export const MASKED_PATHS: readonly string[] = [
  ...['/proc/acpi', '/proc/asound', '/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/latency_stats'],
  ...['/proc/timer_list', '/proc/timer_stats', '/proc/sched_debug', '/proc/scsi', '/sys/firmware'],
  ...['/sys/devices/virtual/powercap'],
]

export const READ_ONLY_PATHS: readonly string[] = [
  ...['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
]
