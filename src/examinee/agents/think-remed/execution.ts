/** The Execution: runs a playbook, and explains its outcome to the Coordinator if it did not succeed. */
import type { AgentContext, AgentStep, Observation } from '#spec'
import { startConversation, type ThinkRemedOptions } from './options.ts'

export const EXECUTION = 'execution'

export interface Execution {
  readonly ok: boolean
  /** The outcome, in words for the Coordinator. */
  readonly summary: string
}

const SYSTEM = [
  'You analyse the outcome of an Ansible playbook that was run against a Kubernetes cluster. Respond in at most six sentences.',
  'State what was changed and what was not. If a task failed, name the task and the reason that its output shows, such as an',
  'invalid field, a missing object, a refused module or a missing permission. State what must be different in the playbook.',
  'Do not state anything that the output does not show, and do not write a new playbook.',
].join('\n')

/** Whether the playbook succeeded without changing anything. False if its tasks are not known. */
const changedNothing = ({ ok, data }: Observation): boolean => {
  const tasks = (data as { tasks?: readonly { outcome?: string }[] } | undefined)?.tasks
  return ok && Array.isArray(tasks) && tasks.every(({ outcome }) => outcome !== 'changed')
}

/** Runs a playbook. The model is asked only if the playbook failed or changed nothing. */
export async function* execute(
  context: AgentContext,
  options: ThinkRemedOptions,
  playbook: string,
): AsyncGenerator<AgentStep, Execution, void> {
  const observation = await context.actions.call('run_playbook', { playbook })
  const { ok, text } = observation
  if (ok && !changedNothing(observation)) {
    yield { role: EXECUTION, thought: 'The playbook completed.' }
    return { ok, summary: text }
  }
  const conversation = startConversation(context, options, EXECUTION, SYSTEM)
  const state = ok ? 'The playbook completed without an error, but changed nothing.' : 'The playbook failed.'
  conversation.say(`Playbook:\n\`\`\`yaml\n${playbook}\n\`\`\`\n\n${state} Outcome:\n${text}`)
  const answer = await conversation.ask([])
  const summary = answer.text.trim() || text
  yield { role: EXECUTION, thought: summary }
  return { ok, summary: `${state} ${summary}` }
}
