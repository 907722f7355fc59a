/** The settings under which playbooks run: nothing of the user's own, so that a playbook does the same everywhere. */

export interface AnsibleSetting {
  /** The text of the playbook. */
  readonly text: string
  /** Where Ansible may write. */
  readonly home: string
  readonly kubeconfig: string
  /** Of Ansible's own settings. */
  readonly config: string
  /** That the modules run on. */
  readonly python: string
}

/** Begins as the names of facts do; the exceptions are those that Ansible knows without gathering. */
const FACT =
  /\bansible_(?!(?:become\w*|check_mode|connection|failed_\w+|host|job_id|loop\w*|play_\w+|playbook_python|python_interpreter|user|verbosity|version)\b)/

/** Of plays that do not say themselves whether facts are gathered, as stock Ansible does; it takes a second or more. */
const gatheringOf = (text: string): string => (FACT.test(text) ? 'implicit' : 'explicit')

export const ansibleEnvironment = ({
  text,
  home,
  kubeconfig,
  config,
  python,
}: AnsibleSetting): Record<string, string> => ({
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
  ANSIBLE_GATHERING: gatheringOf(text),
  ANSIBLE_PIPELINING: '1',
  ANSIBLE_NOCOLOR: '1',
  ANSIBLE_NOCOWS: '1',
  ANSIBLE_RETRY_FILES_ENABLED: '0',
  ANSIBLE_LOCALHOST_WARNING: '0',
  ANSIBLE_DEPRECATION_WARNINGS: '0',
  ANSIBLE_SYSTEM_WARNINGS: '0',
})
