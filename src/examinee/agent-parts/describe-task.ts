/** Describes the tasks to a language model: the goal, and the answers to submit. */
import { type Task, taskOf } from '#spec'

/** Describes the goal of a task and what to submit. */
export const describeTask = (task: Task): string => {
  const { goal, questions } = taskOf(task)
  const answers = questions.flatMap(({ fields }) =>
    Object.entries(fields).map(([name, { prompt }]) => `\`${name}\`: ${prompt}`),
  )
  const submit =
    answers.length === 0
      ? 'When you are done, call `submit`. It requires no answers.'
      : `When you are done, call \`submit\` with these answers: ${answers.join('; ')}.`
  return `${goal} ${submit}`
}
