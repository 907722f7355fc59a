/** Describes the tasks to a language model: the goal, and the answers to submit. */
import { type Task, taskOf } from '#spec'

/** Describes the goal of a task and what to submit. */
export const describeTask = (task: Task): string => {
  const { goal, questions } = taskOf(task)
  const answers = questions.flatMap(({ fields }) =>
    Object.entries(fields).map(([name, { prompt }]) => `\`${name}\`: ${prompt}`),
  )
  const noFault =
    questions.length > 1 ? questions.flatMap((question) => Object.entries(question.noFault ?? {})) : []
  const noFaultText = noFault.map(([name, value]) => `\`${name}\`: ${value}`).join(', ')
  const submit =
    answers.length === 0
      ? 'When you are done, call `submit`. It requires no answers.'
      : `When you are done, call \`submit\` with these answers: ${answers.join('; ')}.`
  const submitNoFault = noFaultText === '' ? '' : ` If no fault is present, submit only ${noFaultText}.`
  return `${goal} ${submit}${submitNoFault}`
}
