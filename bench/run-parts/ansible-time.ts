/** Derives from the record of an episode how long Ansible ran. */
import type { EpisodeEvent } from '#spec'

/**
 * Milliseconds from the vetting of each playbook to its step. Playbooks of the laboratory are not vetted: they start right after
 * the step before.
 */
export const ansibleTimeOf = (events: readonly EpisodeEvent[]): number => {
  let since = 0
  let sum = 0
  for (const event of events) {
    if (event.type === 'step-taken' && /^run[_-]playbook$/.test(event.action)) sum += event.at - since
    if (['solver-started', 'playbook-vetted', 'step-taken'].includes(event.type)) since = event.at
  }
  return sum
}
