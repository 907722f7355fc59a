/** The action submit. */
import { z } from 'zod'
import {
  type Answers,
  answersOf,
  FAULT_LAYERS,
  FAULT_TYPES,
  LAYER_MEANINGS,
  type Task,
  TYPE_MEANINGS,
} from '../../spec/index.ts'
import { ActionRefusal, defineAction } from '../define-action.ts'
import { nameText } from '../name-text.ts'
import { checkService } from '../services-of.ts'

/** Whoever says that nothing is wrong has said all. */
const missingOf = (task: Task, given: Answers): string[] =>
  given.detected === false ? [] : answersOf(task).filter((name) => given[name] === undefined)

/** For the words of a choice, where it is made. */
const explain = (meanings: Readonly<Record<string, string>>): string =>
  Object.entries(meanings)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join('; ')

export const submit = defineAction({
  name: 'submit',
  about:
    'Says that you are done, with the answers that the task asks for, and ends the episode: nothing can be done after ' +
    'it. detection: detected. localisation: services, the likeliest first. analysis: layer and type. end-to-end: all of ' +
    'them, once the system is mended. mitigation and remediation: no answers needed; call it when users are well again. ' +
    'Where nothing is wrong, detected=false says it all.',
  example: { detected: true, services: ['cart'], layer: 'application', type: 'misconfiguration' },
  isReadOnly: true,
  isLast: true,
  input: z.strictObject({
    detected: z.boolean().optional().describe('Whether something is wrong.'),
    services: z.array(nameText).max(50).optional().describe('Those at fault, the likeliest first.'),
    layer: z
      .enum(FAULT_LAYERS)
      .optional()
      .describe(`Where the cause lies. ${explain(LAYER_MEANINGS)}.`),
    type: z
      .enum(FAULT_TYPES)
      .optional()
      .describe(`Of what sort the cause is. ${explain(TYPE_MEANINGS)}.`),
    note: z.string().max(5000).optional().describe('What you found and did, for those who read it later.'),
  }),
  async run(context, { note: _, ...given }) {
    const answers = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    ) as Answers
    const { task } = context.briefing
    const missing = missingOf(task, answers)
    if (missing.length > 0)
      throw new ActionRefusal(
        `The task ${task} asks for ${missing.join(', ')}. Submit again with it; nothing was submitted yet.`,
      )
    for (const service of answers.services ?? []) await checkService(context, service)
    context.answer(answers)
    return { ok: true, text: 'Submitted. The episode is over.', data: answers }
  },
})
