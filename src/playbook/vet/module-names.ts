/** The full names of modules: short ones stand for those that Ansible brings along, or sends on to another collection. */
import type { PlaybookPolicy } from '../playbook-policy.ts'

const KUBERNETES = /^(k8s(_\w+)?|helm(_\w+)?|kubectl)$/
/** Collections whose modules are those that Ansible brings along. */
const OWN = /^ansible\.(builtin|legacy)\./

export const fullModuleName = (name: string): string => {
  if (OWN.test(name)) return name.replace(OWN, 'ansible.builtin.')
  if (name.includes('.')) return name
  return KUBERNETES.test(name) ? `kubernetes.core.${name}` : `ansible.builtin.${name}`
}

export const isAllowedModule = (full: string, { modules }: PlaybookPolicy): boolean =>
  modules.some((allowed) =>
    allowed.endsWith('.*') ? full.startsWith(allowed.slice(0, -1)) : full === allowed,
  )
