/** Facts and magic variables of the host. */
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import type { Variables } from './templar.ts'

const pad = (number: number, digits = 2): string => String(number).padStart(digits, '0')

/** The local time zone of the sandbox is UTC. */
export const toDateTime = (milliseconds: number): Record<string, string> => {
  const date = new Date(milliseconds)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()].map((each) =>
    pad(each),
  )
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(
    (each) => pad(each),
  )
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const basic = `${year}${month}${day}T${hour}${minute}${second}`
  const micro = pad(Math.round((milliseconds % 1000) * 1000), 6)
  const startOfYear = Date.UTC(date.getUTCFullYear(), 0, 1)
  const dayOfYear = Math.floor((date.getTime() - startOfYear) / 86_400_000)
  const weekday = date.getUTCDay()
  const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
  return {
    year: year!,
    month: month!,
    weekday: weekdays[weekday]!,
    weekday_number: String(weekday),
    // Weeks start on Monday; days before the first Monday are in week 0.
    weeknumber: pad(Math.floor((dayOfYear + 7 - ((weekday + 6) % 7)) / 7)),
    day: day!,
    hour: hour!,
    minute: minute!,
    second: second!,
    epoch: String(Math.floor(milliseconds / 1000)),
    epoch_int: String(Math.floor(milliseconds / 1000)),
    date: `${year}-${month}-${day}`,
    time: `${hour}:${minute}:${second}`,
    iso8601_micro: `${iso}.${micro}Z`,
    iso8601: `${iso}Z`,
    iso8601_basic: `${basic}${micro}`,
    iso8601_basic_short: basic,
    tz: 'UTC',
    tz_dst: 'UTC',
    tz_offset: '+0000',
  }
}

/** Facts about the machine. They depend on where the sandbox runs, so a playbook that uses them is not supported. */
const MACHINE_FACTS = [
  ...[
    'all_ipv4_addresses',
    'architecture',
    'default_ipv4',
    'devices',
    'distribution',
    'distribution_file_variety',
  ],
  ...['distribution_major_version', 'distribution_release', 'distribution_version', 'dns', 'domain', 'env'],
  ...[
    'fqdn',
    'hostname',
    'interfaces',
    'kernel',
    'machine',
    'memfree_mb',
    'memory_mb',
    'memtotal_mb',
    'mounts',
  ],
  ...[
    'nodename',
    'os_family',
    'pkg_mgr',
    'processor',
    'processor_cores',
    'processor_count',
    'processor_vcpus',
  ],
  ...[
    'python',
    'python_version',
    'service_mgr',
    'system',
    'uptime_seconds',
    'user_dir',
    'user_id',
    'user_uid',
  ],
  ...[
    'userspace_bits',
    'virtualization_role',
    'virtualization_type',
    'effective_user_id',
    'lsb',
    'ssh_host_key_rsa_public',
  ],
]

const refuse = (target: Record<string, unknown>, property: string, fact: string): void => {
  Object.defineProperty(target, property, {
    enumerable: false,
    configurable: true,
    get() {
      throw new UnsupportedPlaybook(`the fact ${fact}`)
    },
  })
}

export const gatherFacts = (now: number): Variables => {
  const facts: Record<string, unknown> = {
    date_time: toDateTime(now),
    gather_subset: ['all'],
    module_setup: true,
  }
  for (const name of MACHINE_FACTS) refuse(facts, name, `ansible_${name}`)
  return facts
}

/** Copies facts to variables with the prefix `ansible_`. */
export const factVariables = (facts: Variables): [string, PropertyDescriptor][] =>
  Object.entries(Object.getOwnPropertyDescriptors(facts)).map(([name, descriptor]) => [
    `ansible_${name}`,
    descriptor,
  ])

export interface HostView {
  readonly host: string
  readonly groups: readonly string[]
  readonly playName: string
  readonly playbookFolder: string
}

export const magicVariables = ({ host, groups, playName, playbookFolder }: HostView): Variables => ({
  inventory_hostname: host,
  inventory_hostname_short: host.split('.')[0],
  group_names: groups.length === 0 ? ['ungrouped'] : groups.toSorted(),
  groups: {
    all: [host],
    ungrouped: groups.length === 0 ? [host] : [],
    ...Object.fromEntries(groups.map((group) => [group, [host]])),
  },
  ansible_play_hosts: [host],
  ansible_play_hosts_all: [host],
  ansible_play_batch: [host],
  play_hosts: [host],
  ansible_play_name: playName,
  ansible_check_mode: false,
  ansible_diff_mode: false,
  ansible_verbosity: 0,
  ansible_forks: 5,
  ansible_run_tags: ['all'],
  ansible_skip_tags: [],
  ansible_playbook_python: '/usr/bin/python3',
  ansible_python_interpreter: '/usr/bin/python3',
  ansible_connection: 'local',
  ansible_become: false,
  ansible_version: {
    full: '2.14.18',
    major: 2,
    minor: 14,
    revision: 18,
    string: '2.14.18',
  },
  playbook_dir: playbookFolder,
  role_names: [],
  ansible_role_names: [],
})
