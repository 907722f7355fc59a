/** The settings under which playbooks run: nothing of the user's own, so that a playbook does the same everywhere. */

export interface AnsiblePlaces {
  /** Where Ansible may write. */
  readonly home: string
  readonly kubeconfig: string
  /** Of Ansible's own settings. */
  readonly config: string
  /** That the modules run on. */
  readonly python: string
}

export const ansibleEnvironment = ({
  home,
  kubeconfig,
  config,
  python,
}: AnsiblePlaces): Record<string, string> => ({
  LANG: 'C.UTF-8',
  HOME: home,
  TMPDIR: home,
  K8S_AUTH_KUBECONFIG: kubeconfig,
  KUBECONFIG: kubeconfig,
  ANSIBLE_CONFIG: config,
  ANSIBLE_HOME: `${home}/ansible`,
  ANSIBLE_LOCAL_TEMP: `${home}/local`,
  ANSIBLE_REMOTE_TEMP: `${home}/remote`,
  ANSIBLE_PYTHON_INTERPRETER: python,
  ANSIBLE_GATHERING: 'explicit',
  ANSIBLE_PIPELINING: '1',
  ANSIBLE_NOCOLOR: '1',
  ANSIBLE_NOCOWS: '1',
  ANSIBLE_RETRY_FILES_ENABLED: '0',
  ANSIBLE_LOCALHOST_WARNING: '0',
  ANSIBLE_DEPRECATION_WARNINGS: '0',
  ANSIBLE_SYSTEM_WARNINGS: '0',
})
