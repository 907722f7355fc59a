/** Resolves the names of modules as an installation of Debian's package `ansible` does. */
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'

/** The modules of kubernetes.core 2.4. */
const KUBERNETES = new Set([
  ...['k8s', 'k8s_cluster_info', 'k8s_cp', 'k8s_drain', 'k8s_exec', 'k8s_info', 'k8s_json_patch', 'k8s_log'],
  ...['k8s_rollback', 'k8s_scale', 'k8s_service', 'k8s_taint'],
  ...[
    'helm',
    'helm_info',
    'helm_plugin',
    'helm_plugin_info',
    'helm_pull',
    'helm_repository',
    'helm_template',
  ],
])

/** Names without a collection that Ansible redirects to kubernetes.core. The other modules need their full name. */
const REDIRECTED = new Set(['k8s', 'k8s_info', 'k8s_scale', 'k8s_service'])

const BUILTIN = new Set([
  ...['add_host', 'apt', 'apt_key', 'apt_repository', 'assemble', 'assert', 'async_status', 'blockinfile'],
  ...['command', 'copy', 'cron', 'debconf', 'debug', 'dnf', 'dpkg_selections', 'expect', 'fail', 'fetch'],
  ...['file', 'find', 'gather_facts', 'get_url', 'getent', 'git', 'group', 'group_by', 'hostname'],
  ...['import_playbook', 'import_role', 'import_tasks', 'include', 'include_role', 'include_tasks'],
  ...['include_vars', 'iptables', 'known_hosts', 'lineinfile', 'meta', 'package', 'package_facts', 'pause'],
  ...['ping', 'pip', 'raw', 'reboot', 'replace', 'rpm_key', 'script', 'service', 'service_facts', 'set_fact'],
  ...['set_stats', 'setup', 'shell', 'slurp', 'stat', 'subversion', 'systemd', 'systemd_service', 'sysvinit'],
  ...['tempfile', 'template', 'unarchive', 'uri', 'user', 'validate_argument_spec', 'wait_for'],
  ...['wait_for_connection', 'yum', 'yum_repository'],
])

const BUILTIN_PREFIX = /^ansible\.(?:builtin|legacy)\./
const KUBERNETES_PREFIX = 'kubernetes.core.'

/** Collections that the package does not contain, although playbooks name them. */
const MISSING_COLLECTION = /^(?:community\.kubernetes|community\.k8s|k8s\.core|kubernetes\.general)\./

/** Returns the full name, or undefined if Ansible would not find the module. */
export const resolveModule = (name: string, collections: readonly string[]): string | undefined => {
  const short = name.replace(BUILTIN_PREFIX, '')
  if (BUILTIN.has(short)) return `ansible.builtin.${short}`
  if (REDIRECTED.has(short)) return `${KUBERNETES_PREFIX}${short}`
  if (name.startsWith(KUBERNETES_PREFIX))
    return KUBERNETES.has(name.slice(KUBERNETES_PREFIX.length)) ? name : undefined
  if (MISSING_COLLECTION.test(name) || BUILTIN_PREFIX.test(name)) return undefined
  if (!name.includes('.')) {
    if (collections.includes('kubernetes.core') && KUBERNETES.has(name)) return `${KUBERNETES_PREFIX}${name}`
    if (/^(?:k8s|kube|kubectl|helm)/.test(name)) return undefined
  }
  throw new UnsupportedPlaybook(`the module ${name}`)
}
