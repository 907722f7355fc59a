/** `hostvars` and `vars`: their members are read one at a time. Reading them as a whole is not supported. */

import { reprText } from './python/repr.ts'
import { Undefined } from './python/undefined.ts'
import { isString, plainCharactersOf } from './python/value.ts'
import { UnsupportedTemplate } from './template-error.ts'

const METHODS = new Set([
  ...[
    'clear',
    'copy',
    'fromkeys',
    'get',
    'items',
    'keys',
    'pop',
    'popitem',
    'setdefault',
    'update',
    'values',
  ],
  ...['raw_get', 'set_host_facts', 'set_host_variable', 'set_inventory', 'set_nonpersistent_facts'],
  'set_variable_manager',
])

export class LazyVariables {
  readonly pythonType: string
  readonly pythonModule: string | undefined
  readonly #read: (name: string) => unknown

  /** `read` returns undefined if there is no such variable. */
  constructor(type: string, module: string | undefined, read: (name: string) => unknown) {
    this.pythonType = type
    this.pythonModule = module
    this.#read = read
  }

  attribute(name: string): unknown {
    if (METHODS.has(name)) throw new UnsupportedTemplate(`the method ${this.pythonType}.${name}`)
    return undefined
  }

  item(key: unknown): unknown {
    return isString(key) ? this.#read(plainCharactersOf(key)) : undefined
  }
}

/** `hostvars`: an unknown host is an undefined value, with the name that Ansible uses in messages. */
export const hostVariables = (
  hosts: Readonly<Record<string, unknown>>,
  readOf: (variables: unknown) => (name: string) => unknown,
): LazyVariables =>
  new LazyVariables('HostVars', 'ansible.vars.hostvars', (host) => {
    if (Object.hasOwn(hosts, host))
      return new LazyVariables('HostVarsVars', 'ansible.vars.hostvars', readOf(hosts[host]))
    const name = `hostvars['${host}']`
    return new Undefined({ name, nameRepr: reprText(name) })
  })
