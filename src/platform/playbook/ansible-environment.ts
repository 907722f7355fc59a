/** The environment of ansible-playbook. It ignores the user's settings, so that a playbook behaves the same everywhere. */

export interface AnsibleEnvironmentOptions {
  /** The text of the playbook. */
  readonly text: string
  /** A writable folder. */
  readonly home: string
  readonly kubeconfig: string
  /** Path of ansible.cfg. */
  readonly config: string
  /** The Python interpreter for modules. */
  readonly python: string
}

/** Matches names of facts. The exceptions are variables that Ansible sets without gathering facts. */
const FACT =
  /\bansible_(?!(?:become\w*|check_mode|connection|failed_\w+|host|job_id|loop\w*|play_\w+|playbook_python|python_interpreter|user|verbosity|version)\b)/

/** Whether the text of a playbook mentions a fact that must be gathered. */
export const usesFacts = (text: string): boolean => FACT.test(text)

/** The default for plays without `gather_facts`. Gathering takes a second or more, so it is skipped if no fact is used. */
const gatheringMode = (text: string): string => (usesFacts(text) ? 'implicit' : 'explicit')

export const ansibleEnvironment = ({
  text,
  home,
  kubeconfig,
  config,
  python,
}: AnsibleEnvironmentOptions): Record<string, string> => ({
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
  ANSIBLE_GATHERING: gatheringMode(text),
  ANSIBLE_PIPELINING: '1',
  ANSIBLE_NOCOLOR: '1',
  ANSIBLE_NOCOWS: '1',
  ANSIBLE_RETRY_FILES_ENABLED: '0',
  ANSIBLE_LOCALHOST_WARNING: '0',
  ANSIBLE_DEPRECATION_WARNINGS: '0',
  ANSIBLE_SYSTEM_WARNINGS: '0',
})
