/** Describes to a language model how the result of a task is judged: the goal, and no tactics. */
import { type Task, taskOf } from '#spec'

const ANSWER_RULE = 'Every submitted answer is correct.'

const REPAIR_RULES = [
  'Users are served as before the incident: their requests succeed, and take about as long as before.',
  'The cause is removed, not only its symptoms. If the cause cannot be removed (a faulty node, more users), it no longer affects the system: no service depends on the node, or the capacity suffices.',
  'Nothing else is changed or broken: every change that the repair does not need is damage.',
]

/** Details that a solver cannot derive from the repair rules. */
const REPAIR_DETAILS = [
  'These count as damage even if you undo them: deleting or replacing a pod or a workload of a service that is unrelated to the cause; scaling a workload below the number of replicas that it had before the incident; deleting a persistent volume claim.',
  'A workload that takes resources from others may be limited, moved or scaled down, even to zero, but not deleted.',
  'If nothing is wrong, or the incident has ended without intervention, every change is damage.',
]

const READ_ONLY_DETAIL =
  'Your access to the cluster is read-only: requests that would change something are rejected.'

/** The rules are true for every problem of the task. docs/agents.md repeats them for the authors of agents. */
export const describeRules = (task: Task): string => {
  const { repairs, questions } = taskOf(task)
  const rules = [...(questions.length > 0 ? [ANSWER_RULE] : []), ...(repairs ? REPAIR_RULES : [])]
  return [
    rules.length === 1
      ? 'The result is judged when your work has ended. The task is solved if this is true:'
      : 'The result is judged when your work has ended. The task is solved if all of these are true:',
    ...rules.map((rule) => `- ${rule}`),
    ...(repairs ? REPAIR_DETAILS : [READ_ONLY_DETAIL]),
  ].join('\n')
}
