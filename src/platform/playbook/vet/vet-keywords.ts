/** Vets keywords of plays, blocks and tasks that refer to other machines, users or files. */
import { isPlainObject } from '#kit'
import type { YamlMap } from '../playbook.ts'
import type { PlaybookPolicy } from '../playbook-policy.ts'
import { isExpression } from './touch.ts'

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '{{ inventory_hostname }}', '{{inventory_hostname}}'])
const LOCAL_CONNECTIONS = new Set(['local', 'ansible.builtin.local', 'ansible.legacy.local'])
const STRATEGIES = new Set(['linear', 'free', 'ansible.builtin.linear', 'ansible.builtin.free'])
const COLLECTIONS = new Set(['kubernetes.core', 'community.kubernetes', 'ansible.builtin', 'ansible.legacy'])
/** Variables that select the host, the user or the connection. */
const CONNECTION_VARIABLES =
  /^ansible_(connection|host|port|user|password|ssh_.*|become.*|shell_.*|python_interpreter|\w+_interpreter|async_dir|remote_tmp|transport)$/

const FILES_HINT = 'write everything into the playbook'

const isTruthy = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && !/^(no|false|off|0|)$/i.test(value.trim()))

const connectionVariablesIn = (vars: unknown): string[] =>
  isPlainObject(vars)
    ? Object.entries(vars)
        .filter(
          ([name, value]) =>
            CONNECTION_VARIABLES.test(name) && !(name === 'ansible_connection' && value === 'local'),
        )
        .filter(([name]) => !name.endsWith('_interpreter'))
        .map(([name]) => name)
    : []

const vetBecome = (fields: YamlMap, policy: PlaybookPolicy): string[] =>
  policy.become === 'refuse' && isTruthy(fields.become)
    ? ['it uses "become", which is not allowed: remove it, because tasks need no other user']
    : []

const vetConnection = ({ connection }: YamlMap): string[] =>
  connection === undefined || connection === null || LOCAL_CONNECTIONS.has(String(connection))
    ? []
    : [`it uses the connection "${connection}": only "local" is available`]

const vetDelegation = (fields: YamlMap): string[] => {
  const host = fields.delegate_to
  const isRemote = host !== undefined && host !== null && !LOCAL_HOSTS.has(String(host))
  return isRemote ? [`it delegates to "${host}": only localhost is available`] : []
}

const vetCollections = ({ collections }: YamlMap): string[] =>
  (Array.isArray(collections) ? collections : collections === undefined ? [] : [collections])
    .filter((name) => !COLLECTIONS.has(String(name)))
    .map((name) => `it uses the collection "${name}": only kubernetes.core and ansible.builtin are available`)

/** Vets keywords that plays, blocks and tasks have in common. */
export const vetKeywords = (fields: YamlMap, policy: PlaybookPolicy): string[] => [
  ...vetBecome(fields, policy),
  ...vetConnection(fields),
  ...vetDelegation(fields),
  ...vetCollections(fields),
  ...connectionVariablesIn(fields.vars).map(
    (name) => `it sets ${name}, which is not allowed: playbooks run on localhost only`,
  ),
  ...(fields.debugger === undefined || fields.debugger === null
    ? []
    : ['it uses the debugger, which requires interactive input']),
]

const hostsOf = (hosts: unknown): string[] =>
  (Array.isArray(hosts) ? hosts : String(hosts ?? '').split(/[,:]/)).map((host) => String(host).trim())

const vetHosts = ({ hosts }: YamlMap, policy: PlaybookPolicy): string[] => {
  if (hosts === undefined || hosts === null) return ['it has no hosts: write "hosts: localhost"']
  const otherHosts = hostsOf(hosts).filter((host) => isExpression(host) || !policy.hosts.includes(host))
  return otherHosts.length === 0
    ? []
    : [`it has the hosts "${otherHosts.join(', ')}": write "hosts: localhost"`]
}

/** Vets keywords that only plays have. */
export const vetPlayKeywords = (fields: YamlMap, policy: PlaybookPolicy): string[] => [
  ...('import_playbook' in fields || 'include' in fields || 'ansible.builtin.import_playbook' in fields
    ? [`it imports another playbook, which does not exist in the sandbox: ${FILES_HINT}`]
    : vetHosts(fields, policy)),
  ...(isEmpty(fields.roles) ? [] : [`it uses roles, which do not exist in the sandbox: ${FILES_HINT}`]),
  ...(isEmpty(fields.vars_files)
    ? []
    : [`it uses vars_files, which do not exist in the sandbox: ${FILES_HINT}`]),
  ...(isEmpty(fields.vars_prompt) ? [] : ['it uses vars_prompt, which requires interactive input']),
  ...(fields.strategy === undefined || STRATEGIES.has(String(fields.strategy))
    ? []
    : [`it uses the strategy "${fields.strategy}": only linear and free are available`]),
]

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
