/** The action submit. */
import { z } from 'zod'
import { defined } from '#kit'
import { type AnswerField, type Answers, answerNamesOf, QUESTIONS, TASKS, type Task, taskOf } from '#spec'
import { ActionRefusal, defineAction } from '../define-action.ts'
import { checkService } from '../list-services.ts'
import { nameText } from '../name-text.ts'

const FIELDS: readonly (readonly [string, AnswerField])[] = QUESTIONS.flatMap(({ fields }) =>
  Object.entries(fields),
)

/** Answers that say that there is no fault. With them, no other answer is required. */
const NO_FAULT_ANSWERS: readonly Answers[] = QUESTIONS.flatMap(({ noFault }) => noFault ?? [])

const claimsNoFault = (submitted: Answers): boolean =>
  NO_FAULT_ANSWERS.some((answers) =>
    Object.entries(answers).every(([name, value]) => submitted[name as keyof Answers] === value),
  )

/** Lists the answers that the task requires and the agent has not given. */
const listMissing = (task: Task, submitted: Answers): string[] =>
  claimsNoFault(submitted) ? [] : answerNamesOf(task).filter((name) => submitted[name] === undefined)

const toSchema = (field: AnswerField): z.ZodType => {
  if (field.kind === 'boolean') return z.boolean()
  return field.kind === 'services' ? z.array(nameText).max(field.max) : z.enum(field.choices)
}

const listServicesIn = (answers: Answers): readonly string[] =>
  FIELDS.filter(([, { kind }]) => kind === 'services').flatMap(
    ([name]) => (answers[name as keyof Answers] ?? []) as readonly string[],
  )

const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** Describes the answers that each task requires. */
const describeAnswers = (): string => {
  const withQuestions = TASKS.filter((task) => taskOf(task).questions.length > 0)
  const withoutQuestions = TASKS.filter((task) => !withQuestions.includes(task))
  const required = withQuestions.map((task) => `${task}: ${joinWords(answerNamesOf(task))}.`)
  return [...required, `${joinWords(withoutQuestions)}: none.`].join(' ')
}

const NO_FAULT_TEXT = NO_FAULT_ANSWERS.map((answers) =>
  Object.entries(answers).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`),
)
  .map((fields) => `{${fields.join(', ')}}`)
  .join(' or ')

export const submit = defineAction({
  name: 'submit',
  about:
    'Submits the answers that the task requires and ends the episode. No action is possible after a successful submit. ' +
    `Required answers by task: ${describeAnswers()} If nothing is wrong with the system, submit ${NO_FAULT_TEXT}; then no other ` +
    'answer is required.',
  example: Object.fromEntries(FIELDS.map(([name, { example }]) => [name, example])),
  isReadOnly: true,
  reach: 'answers',
  isLast: true,
  input: z.strictObject({
    ...Object.fromEntries(
      FIELDS.map(([name, field]) => [name, toSchema(field).optional().describe(field.about)]),
    ),
    note: z
      .string()
      .max(5000)
      .optional()
      .describe('A summary of what you found and did, for human readers. It is not judged.'),
  }),
  async run(context, { note: _, ...fields }) {
    const answers: Answers = defined(fields)
    const { task } = context.briefing
    const missing = listMissing(task, answers)
    if (missing.length > 0)
      throw new ActionRefusal(
        `The task ${task} requires these answers, which are missing: ${missing.join(', ')}. Nothing was submitted. Call submit again with all required answers.`,
      )
    for (const service of listServicesIn(answers)) await checkService(context, service)
    context.answer(answers)
    return { ok: true, text: 'Submitted. The episode is over.', data: answers }
  },
})
