/** The Execution: runs a playbook and reads its outcome, so that the Coordinator need not. */
import type { AgentContext, AgentStep, Observation } from '../../spec/index.ts'
import { converse, type ThinkRemedOptions } from './options.ts'

export const EXECUTION = 'execution'

export interface Execution {
  readonly ok: boolean
  /** What it did or why it did not, in words for the Coordinator. */
  readonly summary: string
}

const SYSTEM = [
  'You read the outcome of Ansible playbooks that were run against a Kubernetes cluster. Say in at most six sentences: what',
  'was changed and what was not; where it failed, the task and the true reason in its output (a wrong field, a missing',
  'object, a refused module, a rule that forbids it); and what must be different in the playbook. Guess nothing that the',
  'output does not show, and write no new playbook.',
].join('\n')

/** Whether every task left things as they were; unknown where the outcome does not tell. */
const changedNothing = ({ ok, data }: Observation): boolean => {
  const tasks = (data as { tasks?: readonly { outcome?: string }[] } | undefined)?.tasks
  return ok && Array.isArray(tasks) && tasks.every(({ outcome }) => outcome !== 'changed')
}

/** A playbook that did its work speaks for itself; the model reads only those that did not. */
export async function* execute(
  context: AgentContext,
  options: ThinkRemedOptions,
  playbook: string,
): AsyncGenerator<AgentStep, Execution, void> {
  const observation = await context.actions.call('run_playbook', { playbook })
  const { ok, text } = observation
  if (ok && !changedNothing(observation)) {
    yield { role: EXECUTION, thought: 'The playbook ran to its end.' }
    return { ok, summary: `The playbook ran to its end.\n${text}` }
  }
  const conversation = converse(context, options, EXECUTION, SYSTEM)
  const state = ok ? 'It ended without an error, but changed nothing.' : 'It failed.'
  conversation.say(`The playbook:\n\`\`\`yaml\n${playbook}\n\`\`\`\n\n${state} Its outcome:\n${text}`)
  const answer = await conversation.ask([])
  const summary = answer.text.trim() || text
  yield { role: EXECUTION, thought: summary }
  return { ok, summary: `${state} ${summary}` }
}
