/** The part of prompts that says which form a playbook must have. */

export const describePlaybooks = (namespace: string): string =>
  [
    'Playbooks:',
    '- A playbook is YAML for `ansible-playbook`: a list of plays, each with `hosts: localhost`, `connection: local` and',
    '  `gather_facts: false`.',
    '- The modules of `kubernetes.core` (k8s, k8s_info, k8s_scale and others) are configured for the cluster and need no',
    `  kubeconfig and no address. They may change objects of the namespace ${namespace}, and may cordon, taint, label and annotate`,
    `  nodes. Set \`namespace: ${namespace}\` in every task that names an object of the namespace.`,
    '- To change one field of an object, use `kubernetes.core.k8s` with `state: patched` and a definition that contains only',
    '  apiVersion, kind, metadata and this field. Lists of containers are merged by container name.',
    '- The playbook is run exactly as written.',
  ].join('\n')
