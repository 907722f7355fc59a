/** Matches the host pattern of a play with the inventory: localhost, or no host. */
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'

export const HOST = 'localhost'

const SPECIAL = /[!&~[\]*?]/

export interface HostMatch {
  readonly isMatched: boolean
  /** Patterns without a match, for a warning. */
  readonly unmatched: readonly string[]
}

export const matchHosts = (patterns: readonly string[], groups: readonly string[]): HostMatch => {
  const known = new Set([HOST, '127.0.0.1', '::1', 'all', '*', ...groups])
  const names = patterns.flatMap((pattern) => (pattern === '::1' ? [pattern] : pattern.split(/[,:]/)))
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== '')
  for (const name of trimmed)
    if (!known.has(name) && SPECIAL.test(name)) throw new UnsupportedPlaybook(`the host pattern ${name}`)
  return {
    isMatched: trimmed.some((name) => known.has(name)),
    unmatched: trimmed.filter((name) => !known.has(name)),
  }
}
