/**
 * The policy for playbooks of agents. It is the first of three lines of defence, and the only one that gives reasons.
 * If the policy misses something, the sandbox protects the machine, and the permissions of the agent's account protect
 * the cluster.
 */

export interface PlaybookPolicy {
  /** Glob patterns of full module names, such as `kubernetes.core.*`. */
  readonly modules: readonly string[]
  /** Allowed host patterns. All of them refer to the machine on which the playbook runs. */
  readonly hosts: readonly string[]
  /** Allowed plugins of `lookup` and `with_...`. */
  readonly lookups: readonly string[]
  /** Kinds that must not be deleted. */
  readonly undeletable: readonly string[]
  /** Kinds that must not be created, changed or deleted. */
  readonly unchangeable: readonly string[]
  /** API groups and resource names of the laboratory, which must not even be read. */
  readonly hidden: readonly string[]
  /** Whether `become` is rejected or has no effect. */
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
    // Used to call kubectl.
    ...builtin('command', 'raw', 'shell'),
    // Used to write files in the sandbox, for example for `kubectl apply`.
    ...builtin('copy', 'file', 'find', 'lineinfile', 'replace', 'slurp', 'stat', 'tempfile'),
  ],
  hosts: ['localhost', '127.0.0.1', 'all', '*', 'k3s_control_plane', 'k3s_host', 'control_plane', 'master'],
  lookups: [
    ...['dict', 'env', 'flattened', 'indexed_items', 'items', 'list', 'nested', 'random_choice', 'sequence'],
    ...['subelements', 'together', 'varnames', 'vars', 'k8s', 'kubernetes.core.k8s'],
  ],
  undeletable: ['Namespace', 'PersistentVolume', 'PersistentVolumeClaim', 'CustomResourceDefinition', 'Node'],
  unchangeable: [
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
