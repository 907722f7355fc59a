/**
 * What playbooks of agents may do. This is the first of three lines of defence, and the one that explains itself: what it
 * overlooks still meets the sandbox, which holds the machine, and the rights of the agent's account, which hold the cluster.
 */

export interface PlaybookPolicy {
  /** Full names; `kubernetes.core.*` stands for a whole collection. */
  readonly modules: readonly string[]
  /** What plays may name as hosts: all of them mean the machine on which the playbook runs. */
  readonly hosts: readonly string[]
  /** Plugins that `lookup` and `with_...` may name. */
  readonly lookups: readonly string[]
  /** Kinds that nobody may delete. */
  readonly undeletable: readonly string[]
  /** Kinds that nobody may make, change or delete. */
  readonly untouchable: readonly string[]
  /** API groups and words of the laboratory, which are not even to be read. */
  readonly hidden: readonly string[]
  /** Whether a play that asks to become another user is refused, or runs as it is. */
  readonly become: 'refuse' | 'ignore'
}

const builtin = (...names: string[]): string[] => names.map((name) => `ansible.builtin.${name}`)

export const DEFAULT_POLICY: PlaybookPolicy = {
  modules: [
    'kubernetes.core.*',
    'community.kubernetes.*',
    ...builtin(
      'assert',
      'async_status',
      'debug',
      'fail',
      'gather_facts',
      'group_by',
      'meta',
      'pause',
      'ping',
    ),
    ...builtin('set_fact', 'set_stats', 'setup', 'uri', 'wait_for'),
    // Agents call kubectl with these; they run in the sandbox, as all does.
    ...builtin('command', 'raw', 'shell'),
    // Files of the sandbox, which kubectl then applies.
    ...builtin('copy', 'file', 'find', 'lineinfile', 'replace', 'slurp', 'stat', 'tempfile'),
  ],
  hosts: ['localhost', '127.0.0.1', 'all', '*', 'k3s_control_plane', 'k3s_host', 'control_plane', 'master'],
  lookups: [
    ...['dict', 'env', 'flattened', 'indexed_items', 'items', 'list', 'nested', 'random_choice', 'sequence'],
    ...['subelements', 'together', 'varnames', 'vars', 'k8s', 'kubernetes.core.k8s'],
  ],
  undeletable: ['Namespace', 'PersistentVolume', 'PersistentVolumeClaim', 'CustomResourceDefinition', 'Node'],
  untouchable: [
    ...[
      'Namespace',
      'PersistentVolume',
      'CustomResourceDefinition',
      'StorageClass',
      'APIService',
      'PriorityClass',
    ],
    ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'CertificateSigningRequest', 'CSIDriver'],
    ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'ValidatingAdmissionPolicy'],
  ],
  hidden: [
    ...[
      'chaos-mesh.org',
      'remedium-laboratory',
      'podchaos',
      'networkchaos',
      'stresschaos',
      'iochaos',
      'timechaos',
    ],
    ...['dnschaos', 'httpchaos', 'jvmchaos', 'kernelchaos', 'blockchaos', 'physicalmachinechaos'],
  ],
  become: 'refuse',
}
