/** Full names of modules. Short names refer to built-in modules or are redirected to another collection. */
import picomatch from 'picomatch'
import type { PlaybookPolicy } from '../playbook-policy.ts'

const KUBERNETES = /^(k8s(_\w+)?|helm(_\w+)?|kubectl)$/
/** The prefixes of built-in modules. */
const BUILTIN_PREFIX = /^ansible\.(builtin|legacy)\./

export const fullModuleName = (name: string): string => {
  if (BUILTIN_PREFIX.test(name)) return name.replace(BUILTIN_PREFIX, 'ansible.builtin.')
  if (name.includes('.')) return name
  return KUBERNETES.test(name) ? `kubernetes.core.${name}` : `ansible.builtin.${name}`
}

type Matcher = ReturnType<typeof picomatch>

/** Patterns are compiled once per policy, because a playbook has up to 500 tasks. */
const matchers = new WeakMap<readonly string[], Matcher>()

export const isAllowedModule = (fullName: string, { modules }: PlaybookPolicy): boolean => {
  const isMatch = matchers.get(modules) ?? picomatch([...modules])
  matchers.set(modules, isMatch)
  return isMatch(fullName)
}
