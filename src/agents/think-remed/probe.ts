/** The Probe: turns a question of the Coordinator into looks at the system, and tells what they showed. */
import type { AgentContext, AgentStep, ToolDescription } from '../../spec/index.ts'
import { lookAround } from './look-around.ts'
import { converse, type ThinkRemedOptions } from './options.ts'

export const PROBE = 'probe'

const REPORT: ToolDescription = {
  name: 'report',
  about: 'Ends your work with what you found out.',
  input: {
    type: 'object',
    properties: {
      summary: {
        type: 'string',
        description:
          'the answer to the question, with the figures, names and lines that prove it, and what stayed open',
      },
    },
    required: ['summary'],
  },
}

const SYSTEM = [
  'You look into a system of microservices on Kubernetes for a colleague who decides what is to be done. You get one',
  'question. Call the tools that answer it, as few as will do, several at once where they do not depend on each other.',
  'You cannot change anything and need not: suggest no repairs. End by calling `report`: say what you saw, with names and',
  'figures, tell apart what you saw and what you infer, and say so where the tools did not show it.',
].join('\n')

export async function* probe(
  context: AgentContext,
  options: ThinkRemedOptions,
  question: string,
): AsyncGenerator<AgentStep, string, void> {
  const { namespace, report } = context.briefing
  const conversation = converse(context, options, PROBE, SYSTEM)
  conversation.say(
    `The namespace is "${namespace}". What was reported: ${report.text || '(nothing)'}\n\nThe question: ${question}`,
  )
  const look = { role: PROBE, conversation, closing: REPORT, rounds: options.looks }
  const { input, text } = yield* lookAround(context, look)
  const summary = typeof input?.summary === 'string' ? input.summary.trim() : text
  if (summary === '') return 'The probe found no answer.'
  yield { role: PROBE, thought: summary }
  return summary
}
