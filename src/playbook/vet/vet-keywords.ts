/** Keywords of plays, blocks and tasks that would lead away from the machine, or to files that are not there. */
import { isMap, type YamlMap } from '../playbook.ts'
import type { PlaybookPolicy } from '../playbook-policy.ts'
import { isExpression } from './touch.ts'

const LOCAL = new Set(['localhost', '127.0.0.1', '{{ inventory_hostname }}', '{{inventory_hostname}}'])
const LOCAL_CONNECTIONS = new Set(['local', 'ansible.builtin.local', 'ansible.legacy.local'])
const STRATEGIES = new Set(['linear', 'free', 'ansible.builtin.linear', 'ansible.builtin.free'])
const COLLECTIONS = new Set(['kubernetes.core', 'community.kubernetes', 'ansible.builtin', 'ansible.legacy'])
/** Variables that say where and as whom something runs. */
const STEERING =
  /^ansible_(connection|host|port|user|password|ssh_.*|become.*|shell_.*|python_interpreter|\w+_interpreter|async_dir|remote_tmp|transport)$/

const NOT_FILES = 'write all of it into the playbook itself'

const isOn = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && !/^(no|false|off|0|)$/i.test(value.trim()))

const steeringIn = (vars: unknown): string[] =>
  isMap(vars)
    ? Object.entries(vars)
        .filter(
          ([name, value]) => STEERING.test(name) && !(name === 'ansible_connection' && value === 'local'),
        )
        .filter(([name]) => !name.endsWith('_interpreter'))
        .map(([name]) => name)
    : []

const becomes = (fields: YamlMap, policy: PlaybookPolicy): string[] =>
  policy.become === 'refuse' && isOn(fields.become)
    ? ['it asks to become another user: leave out "become", nothing needs it here']
    : []

const connects = ({ connection }: YamlMap): string[] =>
  connection === undefined || connection === null || LOCAL_CONNECTIONS.has(String(connection))
    ? []
    : [`it asks for the connection "${connection}": only "local" leads to the cluster from here`]

const delegates = (fields: YamlMap): string[] => {
  const to = fields.delegate_to
  const isElsewhere = to !== undefined && to !== null && !LOCAL.has(String(to))
  return isElsewhere ? [`it delegates to "${to}": there is only localhost`] : []
}

const collects = ({ collections }: YamlMap): string[] =>
  (Array.isArray(collections) ? collections : collections === undefined ? [] : [collections])
    .filter((name) => !COLLECTIONS.has(String(name)))
    .map(
      (name) =>
        `it takes modules from the collection "${name}": kubernetes.core and ansible.builtin are here`,
    )

/** Of plays, blocks and tasks alike. */
export const vetKeywords = (fields: YamlMap, policy: PlaybookPolicy): string[] => [
  ...becomes(fields, policy),
  ...connects(fields),
  ...delegates(fields),
  ...collects(fields),
  ...steeringIn(fields.vars).map((name) => `it sets ${name}: where and as whom it runs is not for it to say`),
  ...(fields.debugger === undefined || fields.debugger === null
    ? []
    : ['it asks for the debugger, which nobody sits at']),
]

const hostsOf = (hosts: unknown): string[] =>
  (Array.isArray(hosts) ? hosts : String(hosts ?? '').split(/[,:]/)).map((host) => String(host).trim())

const vetHosts = ({ hosts }: YamlMap, policy: PlaybookPolicy): string[] => {
  if (hosts === undefined || hosts === null) return ['it names no hosts: write "hosts: localhost"']
  const foreign = hostsOf(hosts).filter((host) => isExpression(host) || !policy.hosts.includes(host))
  return foreign.length === 0 ? [] : [`it is for the hosts "${foreign.join(', ')}": write "hosts: localhost"`]
}

/** Of plays alone. */
export const vetPlayKeywords = (fields: YamlMap, policy: PlaybookPolicy): string[] => [
  ...('import_playbook' in fields || 'include' in fields || 'ansible.builtin.import_playbook' in fields
    ? [`it takes in another playbook, which is not here: ${NOT_FILES}`]
    : vetHosts(fields, policy)),
  ...(isEmpty(fields.roles) ? [] : [`it uses roles, which are not here: ${NOT_FILES}`]),
  ...(isEmpty(fields.vars_files) ? [] : [`it reads vars_files, which are not here: ${NOT_FILES}`]),
  ...(isEmpty(fields.vars_prompt) ? [] : ['it asks questions (vars_prompt), and nobody is there to answer']),
  ...(fields.strategy === undefined || STRATEGIES.has(String(fields.strategy))
    ? []
    : [`it asks for the strategy "${fields.strategy}": linear and free are here`]),
]

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
